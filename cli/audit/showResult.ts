import type { Terminal } from '../terminal/terminal.ts';
import { escapeHidden, visible } from '../text/visible.ts';
import type { AuditResult } from './auditState.ts';
import { type Finding, type FindingKind, findingKinds } from './findings.ts';

/** The findings of each kind that are shown without `--full`. */
const SHOWN = 10;

const kinds = Object.keys(findingKinds) as FindingKind[];

function figuresOf({ checkpoint, snapshot, checks, rows, comparison }: AuditResult) {
  return {
    origin: checkpoint.origin,
    size: checkpoint.size,
    root: Buffer.from(checkpoint.root).toString('base64'),
    witnesses: [...checkpoint.cosigned.keys()],
    files: snapshot.files,
    checkpoints: checks.checkpoints,
    stagedBatches: checks.staged,
    unclaimedBatches: checks.unclaimed,
    keys: comparison.keys.size,
    duplicates: comparison.duplicates,
    receiptsInLog: comparison.kept,
    ...(snapshot.times && {
      rows: rows.rows,
      inLog: comparison.matched,
      notYetInLog: comparison.pending,
      olderThanLog: comparison.backfilled,
      expired: comparison.expired,
    }),
  };
}

/** Sets the exit code. @returns the number of findings */
function report(terminal: Terminal, { tallies, unchecked }: AuditResult): number {
  const found = Object.values(tallies).reduce((sum, count) => sum + count, 0);
  if (found > 0) terminal.reportNegative();
  else if (unchecked.length > 0) terminal.reportUnchecked();
  return found;
}

/** Creates an output that prints a result as one JSON object, finding by finding. */
export const showAsJson =
  (terminal: Terminal) =>
  async (result: AuditResult): Promise<void> => {
    const found = report(terminal, result);
    const summary = { ok: found === 0 && result.unchecked.length === 0, ...figuresOf(result) };
    const rest = { notChecked: result.unchecked, found, counts: result.tallies };
    await terminal.write(`${JSON.stringify({ ...summary, ...rest }, undefined, 2).slice(0, -2)},\n  "findings": [`);
    let before = '\n';
    for (const finding of result.findings()) {
      await terminal.write(escapeHidden(`${before}    ${JSON.stringify(finding)}`));
      before = ',\n';
    }
    await terminal.print(`${before === '\n' ? '' : '\n  '}]\n}`);
  };

const lineOf = ({ uid, entryId, path, problem }: Finding): string => {
  const where = uid === undefined ? '' : `UID ${uid} ${entryId}: `;
  return `  ${visible(path !== undefined && !problem.includes(path) ? `${path}: ${where}${problem}` : `${where}${problem}`)}`;
};

async function printFindings(terminal: Terminal, result: AuditResult, limit: number): Promise<void> {
  for (const kind of kinds) {
    const total = result.tallies[kind] ?? 0;
    if (total === 0) continue;
    await terminal.print(`\n${findingKinds[kind]}: ${total}`);
    let shown = 0;
    for (const finding of result.findings()) {
      if (finding.kind !== kind) continue;
      if (shown === limit) break;
      await terminal.print(lineOf(finding));
      shown += 1;
    }
    if (shown < total) await terminal.print(`  … and ${total - shown} more`);
  }
}

/** Creates an output that prints a result for people. */
export const showResult =
  (terminal: Terminal, { full, trustsTarget }: { full: true | undefined; trustsTarget: boolean }) =>
  async (result: AuditResult): Promise<void> => {
    const found = report(terminal, result);
    const { size, root, witnesses, ...figures } = figuresOf(result);
    const hasRows = figures.rows !== undefined;
    await terminal.facts({
      log: `${figures.origin}, entries: ${size}, root ${root}`,
      witnesses: witnesses.length > 0 ? witnesses.join(', ') : 'none cosigned',
      files: figures.files,
      checkpoints: `${figures.checkpoints} signed, each compared with the entries before it`,
      keys: `${figures.keys} in the log`,
      duplicates:
        figures.duplicates > 0 ? `${figures.duplicates}: entries that are logged twice, which is harmless` : null,
      'lost races':
        figures.unclaimedBatches > 0
          ? `${figures.unclaimedBatches}: staged batches that were never claimed, which is harmless`
          : null,
      receipts: figures.receiptsInLog ? `${figures.receiptsInLog} of those given with --known are in the log` : null,
      table: hasRows ? `entries: ${figures.rows}, in the log: ${figures.inLog}` : 'not compared: no target',
      'not yet': figures.notYetInLog ? `${figures.notYetInLog}: too new to be in the log, or late in the index` : null,
      backfilled: figures.olderThanLog
        ? `${figures.olderThanLog}: older than the log, which does not prove when they were received`
        : null,
      expired: figures.expired ? `${figures.expired}: in the log, and expired from the table` : null,
    });
    await printFindings(terminal, result, full ? Number.POSITIVE_INFINITY : SHOWN);
    if (result.unchecked.length > 0) await terminal.print(`\nNot checked: ${result.unchecked.length}`);
    for (const sentence of result.unchecked) await terminal.print(`  ${visible(sentence)}`);
    if (trustsTarget)
      terminal.note('The keys are those that the Tlog table names. --policy FILE trusts those of a file instead.');
    if (found > 0 && !full && kinds.some((kind) => (result.tallies[kind] ?? 0) > SHOWN)) {
      terminal.note('--full shows all findings, --json lists them.');
    }
    const scope = hasRows ? 'The log is consistent, and so are the tables with it.' : 'The log is consistent.';
    const doubt = result.unchecked.length > 0 ? 'No contradictions, but not everything was checked.' : scope;
    terminal.note(found > 0 ? `Contradictions: ${found}.` : doubt);
  };
