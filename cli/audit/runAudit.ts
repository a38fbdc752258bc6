import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { readEntries } from '../entries/readEntries.ts';
import { linesIn } from '../files/linesOf.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type AuditRequest, type AuditResult, type AuditState, EMPTY_STATE, type Snapshot } from './auditState.ts';
import { auditTree } from './auditTree.ts';
import { beginAudit } from './beginAudit.ts';
import { collectRows } from './collectRows.ts';
import { compareTables } from './compareTables.ts';
import { fileTimes } from './fileTimes.ts';
import type { Finding } from './findings.ts';
import { keyLeaves } from './keyLeaves.ts';
import { sortListing } from './listing.ts';
import { ownersOf } from './ownersOf.ts';
import { partitions, partitionsFor } from './partitions.ts';
import type { RowsOptions, RowsPart } from './rowsPart.ts';
import { type KeptCheckpoint, sizeChecksOf } from './sizeChecks.ts';
import { uncheckedOf } from './uncheckedOf.ts';
import { openWorkFolder } from './workFolder.ts';

/**
 * Audits a log, and compares it with the tables. Continues an audit that was interrupted.
 * @param show shows the result, before the work folder is deleted
 * @throws Failure if the log has no checkpoint that can be trusted
 */
export async function runAudit(
  terminal: Terminal,
  request: AuditRequest,
  show: (result: AuditResult) => Promise<void>,
): Promise<void> {
  const { files, target, policy } = request;
  const work = openWorkFolder<AuditState>(request.workFolder, request.question, EMPTY_STATE);
  let { state } = work;
  try {
    let keptAt = performance.now();
    const tallies = { ...state.tallies };
    const report = (finding: Finding): void => {
      tallies[finding.kind] = (tallies[finding.kind] ?? 0) + 1;
      work.file('findings').append(Buffer.from(`${JSON.stringify(finding)}\n`));
    };
    const keep = (change: () => Partial<AuditState>): void => {
      if (performance.now() - keptAt >= request.keepAfter) {
        state = { ...state, ...change(), tallies: { ...tallies } };
        work.save(state);
        keptAt = performance.now();
      }
      if (terminal.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    };
    const keepPhase = (change: Partial<AuditState>): void => {
      keptAt = Number.NEGATIVE_INFINITY;
      keep(() => change);
    };
    if (state.done === 'nothing') {
      keepPhase({ done: 'beginning', snapshot: await beginAudit(terminal, request, work.file, report) });
    } else {
      terminal.note(`Continuing the audit in ${request.workFolder}.`);
    }

    const snapshot = state.snapshot as Snapshot;
    const checkpoint = openCheckpoint(snapshot.signed, policy);
    const { size, root, origin } = checkpoint;
    const listing = sortListing(linesIn(work.file('paths').chunks()), size);
    const recordsOf = (name: string) => partitions(work.file, name, partitionsFor(size));
    const [leaves, rows] = [recordsOf('leaves'), recordsOf('rows')];

    if (state.done === 'beginning') {
      const progress = terminal.progress(size, 'reading the log');
      const counts = { ...state.checks };
      const previous: KeptCheckpoint[] = request.previous.map((one) => ({ file: one.file, ...one.checkpoint }));
      const tree = await auditTree(
        {
          files,
          size,
          root,
          listing,
          report,
          onEntry: (entry, index) => {
            if (!entry) return;
            const position = Buffer.allocUnsafe(6);
            position.writeUIntBE(index, 0, 6);
            leaves.add(entry, position);
          },
          checksUntil: sizeChecksOf({ files, origin, policy, listing, previous, report, counts }),
          keep: (tree) => keep(() => ({ tree: tree(), checks: { ...counts } })),
          advance: (entries) => progress.advance(entries, 'entries of the log read'),
        },
        state.tree,
      );
      if (!tree.root) {
        const problem = `The entries and tiles do not lead to the root of the newest checkpoint, of size ${size}.`;
        report({ kind: 'root', problem });
      }
      progress.stop(`${size} entries of the log read`);
      keepPhase({ done: 'tree', tree: { ...state.tree, lost: tree.lost }, checks: counts, rootHolds: tree.root });
    }

    if (state.done === 'tree' && target) {
      const reader = entriesReader(target.db, target.tables.aiLogs);
      const progress = terminal.progress(await reader.estimate(), 'reading the table');
      const options = { partitions: rows.count, began: snapshot.times?.began, bodies: request.bodies };
      const task = import.meta.resolve('./rowsPart.ts');
      let { rows: counted } = state;
      const work = { task, options, after: state.after, quiet: true };
      for await (const { part, next } of readEntries<RowsOptions, RowsPart>(terminal, target, {}, work)) {
        counted = collectRows(part, { partitions: rows, before: counted, report });
        progress.advance(part.rows, `${counted.rows} entries of the table read`);
        // Within a page there is no entry to continue after.
        if (next) keep(() => ({ rows: counted, after: next }));
      }
      keepPhase({ done: 'rows', rows: counted });
      progress.stop(`${counted.rows} entries of the table read`);
    }

    const progress = terminal.progress(2 * leaves.count, 'comparing');
    const { whenLogged, sizeAt } = fileTimes(files, listing.sizes);
    const comparison = await compareTables({
      size,
      times: target && snapshot.times,
      leaves,
      rows,
      known: recordsOf('known'),
      suspects: state.rows.suspects,
      keys: keyLeaves(snapshot.keys),
      report,
      ownersOf: ownersOf(target),
      expiredUntil: async (days) => {
        const kept = request.retention ?? days;
        return kept === undefined || !snapshot.times ? 0 : sizeAt(snapshot.times.now - kept * 86_400_000);
      },
      olderUntil: async (days, until) => ((request.retention ?? days) === undefined ? 0 : sizeAt(until)),
      whenLogged,
      advance: (done) => progress.advance(done, 'comparing'),
    });
    progress.stop('compared');
    for (const key of snapshot.keys) {
      if (comparison.keys.has(key)) continue;
      report({ kind: 'key', problem: `The key ${key} has no leaf in the log.` });
    }
    if (terminal.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    await show({
      ...state,
      tallies,
      snapshot,
      checkpoint,
      listing,
      comparison,
      unchecked: uncheckedOf(request, state, listing, comparison),
      *findings() {
        for (const line of linesIn(work.file('findings').chunks())) yield JSON.parse(line) as Finding;
      },
    });
    work.remove();
  } finally {
    // Before the first step is done, there is nothing to continue.
    if (state.done === 'nothing') work.remove();
    else work.close();
  }
}
