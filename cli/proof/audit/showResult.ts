import type { Block, Surroundings } from '../../shell/terminal/defineCommand.ts';
import { visible } from '../../shell/text/visible.ts';
import { askAboutKey } from '../inclusion/trustedKeys.ts';
import { type Finding, type FindingKind, findingKinds } from './findings.ts';
import type { AuditResult } from './runAudit.ts';

const SHOWN = 10;

const kinds = Object.keys(findingKinds) as FindingKind[];

const figuresOf = ({ checkpoint, files, checkpoints, keys, laterReceiptKeys, comparison, hasTables }: AuditResult) => ({
  origin: checkpoint.origin,
  size: checkpoint.size,
  root: Buffer.from(checkpoint.root).toString('base64'),
  witnesses: [...checkpoint.cosigned.keys()],
  files,
  checkpoints,
  keys,
  laterReceiptKeys,
  duplicates: comparison.duplicates,
  receiptsInLog: comparison.kept,
  ...(hasTables && {
    rows: comparison.rows,
    inLog: comparison.matched,
    olderThanLog: comparison.backfilled,
    expired: comparison.expired,
  }),
  notYetInLog: comparison.pending,
});

/** Sets the exit code that a result stands for. */
export function judge(
  terminal: Pick<Surroundings, 'reportNegative' | 'reportBroken' | 'reportUnchecked'>,
  { findings: { contradictions, overdue }, unchecked }: AuditResult,
): void {
  if (contradictions > 0) terminal.reportNegative();
  else if (overdue > 0) terminal.reportBroken();
  else if (unchecked.length > 0) terminal.reportUnchecked();
}

/** Returns what an audit does not prove, in sentences: a log orders what came, and only witnesses say when. */
function notProven({ comparison: { untimed }, hasWitnesses }: AuditResult): string[] {
  if (untimed === 0) return [];
  const [what, them] = untimed === 1 ? ['this entry was', 'it'] : [`these ${untimed} entries were`, 'them'];
  const why = hasWitnesses
    ? `no quorum of witnesses cosigned ${them} within ten minutes of that time`
    : 'no witnesses cosign this log, so the organisers alone say so';
  return [`When ${what} received: ${why}.`];
}

/** Describes a result for `--json`, with all findings that are listed. */
export function describeResult(result: AuditResult) {
  const { findings, unchecked } = result;
  const found = findings.contradictions;
  return {
    ok: found + findings.overdue === 0 && unchecked.length === 0,
    ...figuresOf(result),
    notChecked: unchecked,
    notProven: notProven(result),
    found,
    counts: findings.counts,
    findings: kinds.flatMap((kind) => findings.of(kind)),
  };
}

const lineOf = ({ uid, entryId, path, problem }: Finding): string => {
  const where = uid === undefined ? '' : `UID ${uid} ${entryId}: `;
  return `  ${visible(path && !problem.includes(path) ? `${path}: ${where}${problem}` : `${where}${problem}`)}`;
};

/** Returns a result for people. @param options `trustsTarget`: the keys are those that the Tlog table names */
export function* showResult(
  result: AuditResult,
  { full, trustsTarget }: { full: boolean; trustsTarget: boolean },
): Generator<Block> {
  const { findings, unchecked } = result;
  const found = findings.contradictions;
  const { size, root, witnesses, ...figures } = figuresOf(result);
  const some = (count: number | undefined, text: string) => (count ? `${count}: ${text}` : null);
  yield {
    facts: {
      log: `${figures.origin}, entries: ${size}, root ${root}`,
      witnesses: witnesses.length > 0 ? witnesses.join(', ') : 'none cosigned',
      files: figures.files,
      checkpoints: `${figures.checkpoints} signed, each compared with the entries before it`,
      keys: `${figures.keys} in the log`,
      duplicates: some(figures.duplicates, 'leaves that are in the log a second time, which proves nothing less'),
      receipts: figures.receiptsInLog ? `${figures.receiptsInLog} of those given with --known are in the log` : null,
      table: result.hasTables ? `entries: ${figures.rows}, in the log: ${figures.inLog}` : 'not compared: no target',
      'not yet': some(figures.notYetInLog, 'too new to be in the log'),
      backfilled: some(figures.olderThanLog, 'older than the log, which does not prove when they were received'),
      expired: some(figures.expired, 'in the log, and expired from the table'),
    },
  };
  const limit = full ? Number.POSITIVE_INFINITY : SHOWN;
  for (const [kind, heading] of Object.entries(findingKinds) as [FindingKind, string][]) {
    const total = findings.counts[kind] ?? 0;
    if (total === 0) continue;
    yield `\n${heading}: ${total}`;
    const shown = findings.of(kind).slice(0, limit);
    for (const finding of shown) yield lineOf(finding);
    if (shown.length < total) yield `  … and ${total - shown.length} more`;
  }
  if (unchecked.length > 0) yield `\nNot checked: ${unchecked.length}`;
  for (const sentence of unchecked) yield `  ${visible(sentence)}`;
  for (const sentence of notProven(result)) yield `\nNot proven: ${sentence}`;
  for (const key of result.laterReceiptKeys) yield { note: askAboutKey(key) };
  if (trustsTarget)
    yield { note: 'The keys are those that the Tlog table names. --policy FILE trusts those of a file instead.' };
  if (kinds.some((kind) => (findings.counts[kind] ?? 0) > limit))
    yield { note: '--full shows all findings, --json lists them.' };
  const scope = result.hasTables ? 'The log is consistent, and so are the tables with it.' : 'The log is consistent.';
  const doubt = unchecked.length > 0 ? 'No contradictions, but not everything was checked.' : scope;
  if (findings.overdue > 0) yield { note: `Logged after the deadline of their receipts: ${findings.overdue}.` };
  if (found > 0) yield { note: `Contradictions: ${found}.` };
  else if (findings.overdue === 0) yield { note: doubt };
}
