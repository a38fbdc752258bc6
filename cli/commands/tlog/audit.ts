import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import { keysIn, readTlogItems } from '../../proof/audit/auditHead.ts';
import { runAudit } from '../../proof/audit/runAudit.ts';
import { describeResult, judge, showResult } from '../../proof/audit/showResult.ts';
import { readPolicy } from '../../proof/evidence/readPolicy.ts';
import { readSmallFile, textOf } from '../../proof/evidence/smallFile.ts';
import { openKept } from '../../proof/inclusion/followLog.ts';
import { readOwnPolicy } from '../../proof/inclusion/publishedLog.ts';
import { texts } from '../../shell/terminal/arguments.ts';
import { defineCommand, defineOpener } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { watchInterruption } from '../../shell/terminal/signals.ts';
import { TARGET_OPTIONS, type Target, withTarget } from '../../store/targets/target.ts';
import { folderFiles, type TlogFiles } from '../../store/targets/tlogFiles.ts';

/** Reads a checkpoint that somebody kept. @throws Failure if the policy does not trust it */
function readKept(path: string, file: string, policy: Policy) {
  const read = readSmallFile(path);
  const advice = 'Give a checkpoint as the log or a witness published it, with its signatures.';
  return openKept(file, policy, advice, () => textOf(read));
}

/** For a command that works on a target, or on a copy of its log alone. */
const onTargetOrCopy = defineOpener({
  kind: 'a target, or a copy of a log',
  options: {
    ...TARGET_OPTIONS,
    log: { flags: '--log <folder>', help: 'check this copy of the log instead of a target; needs --policy' },
  },
  async use(
    terminal,
    { log, ...where },
    work: (opened: { readonly target: Target | undefined; readonly files: TlogFiles }) => Promise<void>,
  ) {
    if (log === undefined) {
      return withTarget(terminal, where, async (target) => work({ target, files: (await target.openTlog()).files }));
    }
    if (where.local || where.stack) {
      throw new Failure('usage', '--log checks a copy, without a target.', {
        advice: 'Leave out --log to compare a target with its log, or leave out --local and --stack.',
      });
    }
    const folder = resolve(terminal.cwd(), log);
    if (!statSync(folder).isDirectory()) throw new Failure('usage', `${log} is not a folder.`);
    const { stop } = watchInterruption(terminal.signal);
    await Promise.race([work({ target: undefined, files: folderFiles(folder) }), stop]);
  },
});

/** Returns the policy of a target by its own table. @throws Failure without a target */
async function ownPolicy(target: Target | undefined): Promise<Policy> {
  if (!target) {
    throw new Failure('usage', '--log needs --policy.', {
      advice: 'The policy has the keys to trust: ailog tlog export-policy writes it, and organisers publish it.',
    });
  }
  const opened = await target.openTlog();
  const signed = await opened.files.read(CHECKPOINT);
  const keys = keysIn(await readTlogItems(target));
  return (await readOwnPolicy(target, opened, { keys }, signed && Buffer.from(signed).toString())).policy;
}

export default defineCommand({
  words: 'tlog audit',
  for: 'Operators and auditors',
  summary: 'Check the whole transparency log, and compare it with the tables.',
  details:
    'It names every entry that was edited, removed, inserted or backdated. With --log, it checks a copy of the log alone, without AWS. The exit code is 1 if anything contradicts, 6 if entries were logged after the deadlines of their receipts, and 5 if something could not be checked.',
  examples: [
    ['tlog audit', 'the local log against the local tables'],
    ['tlog audit --stack AiLogUpload-prod --policy tlog.policy', 'a deployment'],
    ['tlog audit --log copy/ --policy tlog.policy', 'a copy of the bucket, offline'],
    ['tlog audit --log copy/ --policy tlog.policy --previous kept', 'and that it still has what a kept checkpoint had'],
    ['tlog audit --known before.jsonl', 'name removed and edited entries by an earlier export'],
  ],
  options: {
    policyFile: {
      flags: '--policy <file>',
      help: 'trust the keys of this policy (default: those in the Tlog table of the target)',
    },
    previous: {
      flags: '--previous <file>',
      help: 'a checkpoint that was kept: the log must begin with it; can be repeated',
      read: texts,
    },
    known: {
      flags: '--known <file>',
      help: 'a receipt, a result file of ailog upload, or an earlier export or statement; can be repeated',
      read: texts,
    },
    bodies: { flags: '--no-bodies', help: 'do not check bodies and their copies' },
    full: { flags: '--full', help: 'show all findings' },
  },
  on: onTargetOrCopy,
  async run({ policyFile, previous = [], known = [], bodies }, { target, files, terminal }) {
    const inFolder = (path: string) => resolve(terminal.cwd(), path);
    const given = policyFile === undefined ? undefined : readPolicy(terminal, policyFile).policy;
    const policy = given ?? (await ownPolicy(target));
    const kept = previous.map((file) => readKept(inFolder(file), file, policy));
    const request = { files, target, policy, previous: kept, known: known.map(inFolder), bodies };
    const result = await runAudit(terminal, request);
    judge(terminal, result);
    return { result, trustsTarget: given === undefined };
  },
  json: ({ result }) => describeResult(result),
  shows: ({ result, trustsTarget }, { full }) => showResult(result, { full, trustsTarget }),
});
