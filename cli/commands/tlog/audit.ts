import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { isBroken, KINDS, type Kind } from '../../proof/audit/findings.ts';
import { type AuditResult, runAudit } from '../../proof/audit/runAudit.ts';
import { readPolicy } from '../../proof/evidence/readPolicy.ts';
import { ownPolicy } from '../../proof/log/ownLog.ts';
import { texts } from '../../shell/terminal/arguments.ts';
import { defineCommand, defineOpener, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { TARGET_OPTIONS, type Target, withTarget } from '../../store/targets/target.ts';
import { folderFiles } from '../../store/targets/tlogFiles.ts';

const SHOWN = 100;

const onLog = defineOpener({
  kind: 'a target, or a copy of a log',
  options: {
    ...TARGET_OPTIONS,
    log: { flags: '--log <folder>', help: 'check this copy of the log instead of a target; needs --policy' },
  },
  use: async (terminal, { log, ...where }, work: (opened: { readonly subject: Target | string }) => Promise<void>) => {
    if (log === undefined) return withTarget(terminal, where, (subject) => work({ subject }));
    if (where.local || where.stack) {
      throw new Failure('usage', '--log checks a copy, without a target.', {
        advice: 'Leave out --log to compare a target with its log, or leave out --local and --stack.',
      });
    }
    const folder = resolve(terminal.cwd(), log);
    if (!statSync(folder).isDirectory()) throw new Failure('usage', `${log} is not a folder.`);
    return work({ subject: folder });
  },
});

/** Sets the exit code. @returns the sentence that says the result */
function judge(terminal: Surroundings, { counts, unchecked, hasTables }: AuditResult): string {
  const kinds = Object.keys(counts) as Kind[];
  const sum = (chosen: readonly Kind[]) => chosen.reduce((total, kind) => total + (counts[kind] ?? 0), 0);
  const broken = sum(kinds.filter(isBroken));
  const wrong = sum(kinds.filter((kind) => !isBroken(kind)));
  if (wrong > 0) terminal.reportNegative();
  else if (broken > 0) terminal.reportBroken();
  else if (unchecked.length > 0) terminal.reportUnchecked();
  if (wrong > 0) return `Contradictions: ${wrong}. Late or missing: ${broken}.`;
  if (broken > 0) return `Late or missing: ${broken}.`;
  if (unchecked.length > 0) return 'No contradictions, but not everything was checked.';
  return hasTables ? 'The log is consistent, and so are the tables with it.' : 'The log is consistent.';
}

export default defineCommand({
  words: 'tlog audit',
  for: 'Operators and auditors',
  summary: 'Check the whole transparency log, and compare it with the tables.',
  details: `Names every file that was changed, and every entry that was edited, removed, inserted or came late. With --log, it
checks a copy of the log, without AWS. The exit code is 1 if anything contradicts, 6 if entries came late or are missing
although a receipt promised them, and 5 if something could not be checked.`,
  examples: [
    ['tlog audit', 'the local log against the local tables'],
    ['tlog audit --stack AiLogUpload-prod --policy tlog.policy', 'a deployment'],
    ['tlog audit --log copy --policy tlog.policy', 'a copy of the log, offline'],
    ['tlog audit --known before.jsonl', 'with evidence of what was there before'],
  ],
  options: {
    policyFile: {
      flags: '--policy <file>',
      help: 'trust the keys of this policy (default: those of the target itself)',
    },
    known: {
      flags: '--known <file>',
      help: 'evidence: receipts, journals, exports, statements, or checkpoints that were kept; can be repeated',
      read: texts,
    },
    bodies: { flags: '--no-bodies', help: 'do not check bodies and their copies' },
  },
  on: onLog,
  forms: ['wide'],
  async run({ policyFile, known = [], bodies }, { terminal, remark, subject }) {
    const given = policyFile === undefined ? undefined : readPolicy(terminal, policyFile).policy;
    const isCopy = typeof subject === 'string';
    if (isCopy && !given) {
      throw new Failure('usage', '--log needs --policy.', {
        advice: 'The policy has the keys to trust: ailog tlog export-policy writes it, and organisers publish it.',
      });
    }
    const target = isCopy ? undefined : subject;
    const files = isCopy ? folderFiles(subject) : (await subject.openTlog()).files;
    const policy = given ?? parsePolicy((await ownPolicy(subject as Target)).policyText);
    const paths = known.map((path) => resolve(terminal.cwd(), path));
    const result = await runAudit(terminal, { files, policy, target, known: paths, bodies });
    if (!given) remark('The keys are those that the target names. --policy FILE trusts those of a file instead.');
    remark(judge(terminal, result));
    return result;
  },
  json: ({ hasTables: _hasTables, ...result }) => result,
  *shows({ unchecked, counts, findings, hasTables, witnesses, ...facts }) {
    const some = (count: number | undefined) => count || null;
    yield {
      facts: {
        log: `${facts.origin}, entries: ${facts.size}, root ${facts.root}`,
        witnesses: witnesses.length > 0 ? witnesses.join(', ') : 'none cosigned',
        files: `${facts.files}, of ${facts.commits} commits`,
        table: hasTables ? `entries: ${facts.rows}, in the log: ${facts.logged}` : 'not compared: no target',
        evidence: some(facts.known),
        'not yet': some(facts.pending),
        expired: some(facts.expired),
        'older than the log': some(facts.older),
        duplicates: some(facts.duplicates),
      },
    };
    for (const sentence of unchecked) yield `Not checked: ${sentence}`;
    if (findings.length === 0) return;
    for (const [kind, count] of Object.entries(counts)) yield `${kind}: ${count}. ${KINDS[kind as Kind]}.`;
    yield {
      table: findings.slice(0, SHOWN).map(({ kind, uid, entryId: entry, index, problem }) => {
        return { kind, uid, entry, index, problem };
      }),
      wraps: true,
    };
    if (findings.length > SHOWN) yield `… and ${findings.length - SHOWN} more: --json lists them.`;
  },
});
