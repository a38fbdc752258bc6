import { createHash } from 'node:crypto';
import { checkpointPath } from '../../../functions/sequencer/storage.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import type { Policy } from '../../../functions/tlog/policy.ts';
import { formatVerifierKey } from '../../../functions/tlog/verifierKey.ts';
import { entriesReader } from '../../data/entriesReader.ts';
import type { EntryKey } from '../../data/entryFilter.ts';
import { readEntries } from '../../logs/readEntries.ts';
import type { Target } from '../../target.ts';
import { Failure } from '../../terminal/failure.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { LogFiles } from '../logFiles.ts';
import { auditHead, keysIn } from './auditHead.ts';
import { auditTree, NO_TREE, type TreeState } from './auditTree.ts';
import { collectRows, type RowCounts } from './collectRows.ts';
import { type Comparison, compareTables, type LogTimes } from './compareTables.ts';
import { fileTimes } from './fileTimes.ts';
import type { Finding, FindingKind } from './findings.ts';
import { keyLeaves, keysOfLog } from './keyLeaves.ts';
import { readKnown } from './known.ts';
import { beyondSize, type Listing, missingIn, positionFrom, sortListing, straysIn } from './listing.ts';
import { ownersOf } from './ownersOf.ts';
import { partitions, partitionsFor } from './partitions.ts';
import type { RowsOptions, RowsPart } from './rowsPart.ts';
import { largestOf, readLogItems, readNewest, rootIn } from './snapshot.ts';
import { auditListing, type KeptCheckpoint, type StopCounts, stopsOf } from './stops.ts';
import { openWorkFolder } from './workFolder.ts';

/** The subject and the options of an audit. */
export interface AuditRequest {
  readonly files: LogFiles;
  /** The tables; undefined: only the files of the log. */
  readonly target: Target | undefined;
  readonly policy: Policy;
  /** Checkpoints that somebody kept, by the names of their files. */
  readonly previous: readonly { readonly file: string; readonly checkpoint: OpenedCheckpoint }[];
  /** Files with receipts and exports. */
  readonly known: readonly string[];
  /** The days for which entries are kept, if no entry of the table tells. */
  readonly retention: number | undefined;
  /** True: the bodies of the entries are checked. */
  readonly bodies: boolean;
  readonly workFolder: string;
  /** The time after which the state is kept again, in milliseconds. */
  readonly keepAfter: number;
  /** Tells this audit from others that could use the folder. */
  readonly question: string;
}

/** The log at the time at which the audit began. */
interface Snapshot {
  /** The newest checkpoint, verbatim. */
  readonly signed: string;
  readonly times: LogTimes | undefined;
  /** The number of leaves that were claimed and not published. */
  readonly unpublished: number;
  /** The verifier keys that should be in the log. */
  readonly keys: readonly string[];
  readonly files: number;
}

/** The state of an audit. It is enough to continue. */
interface AuditState {
  readonly done: 'nothing' | 'beginning' | 'tree' | 'rows';
  readonly snapshot?: Snapshot;
  readonly tree: TreeState;
  readonly stops: StopCounts;
  readonly rootHolds: boolean;
  readonly rows: RowCounts;
  /** The last row that was read. */
  readonly after?: EntryKey;
  readonly tallies: Partial<Record<FindingKind, number>>;
}

const NOTHING: AuditState = {
  done: 'nothing',
  tree: NO_TREE,
  stops: { checkpoints: 0, staged: 0, unclaimed: 0 },
  rootHolds: false,
  rows: { rows: 0, suspects: 0 },
  tallies: {},
};

/** The result of an audit. */
export interface AuditResult extends AuditState {
  readonly snapshot: Snapshot;
  readonly checkpoint: OpenedCheckpoint;
  readonly listing: Listing;
  readonly comparison: Comparison;
  /** The parts that were not checked, in sentences. */
  readonly unchecked: readonly string[];
  /** Reads the findings one after the other. */
  readonly findings: () => Generator<Finding>;
}

/** Reads the lines of a text that comes in chunks. */
function* linesOf(chunks: Iterable<Buffer>): Generator<string> {
  let rest = Buffer.alloc(0) as Buffer;
  for (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10, start); end >= 0; end = bytes.indexOf(10, start)) {
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
}

/** Says what was not checked. */
function uncheckedOf(
  request: AuditRequest,
  { snapshot, tree, rows, rootHolds }: AuditState,
  listing: Listing,
  { olderGone }: Comparison,
): string[] {
  const { target, bodies } = request;
  const sentences: string[] = [];
  if (tree.lost > 0)
    sentences.push(`${tree.lost} entries of the log, because their files are missing or were changed.`);
  if (!rootHolds) sentences.push('Whether the entries are those that were signed: they do not lead to the root.');
  if (snapshot && snapshot.unpublished > 0)
    sentences.push(
      `${snapshot.unpublished} entries that the head claims and no checkpoint has yet. Run the audit again.`,
    );
  const { count, example } = listing.beyond;
  if (!target && count > 0)
    sentences.push(`${count} files of a larger tree than that of the checkpoint, such as ${example}.`);
  if (target && !snapshot?.times)
    sentences.push('The entries of the table against the log, because the head in the Log table cannot be read.');
  if (olderGone > 0)
    sentences.push(
      `${olderGone} log entries that the table does not have any more, and that may be older than the log: they have expired, or somebody removed them.`,
    );
  if (target && !bodies && rows.rows > 0)
    sentences.push('Bodies, and the copies of order id, stage, model and explanation (--no-bodies).');
  return sentences;
}

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
  const work = openWorkFolder<AuditState>(request.workFolder, request.question, NOTHING);
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
    if (state.done !== 'nothing') terminal.note(`Continuing the audit in ${request.workFolder}.`);

    if (state.done === 'nothing') {
      const paths = work.file('paths');
      const progress = terminal.progress(undefined, 'listing the files of the log');
      let listed = 0;
      for await (const path of files.list('')) {
        paths.append(Buffer.from(`${path.replaceAll('\n', '\\n')}\n`));
        listed += 1;
        progress.advance(1, `${listed} files of the log listed`);
      }
      progress.stop(`${listed} files of the log listed`);
      const largest = largestOf(linesOf(paths.chunks()));
      const newest = await readNewest(files, { policy, largest, wait: target !== undefined, report });
      const items = target ? await readLogItems(target) : { head: undefined, receiptKeys: undefined };
      if (!newest && target && listed === 0 && !items.head) {
        throw new Failure('unchecked', `There is no transparency log of ${target.name} yet.`, {
          advice:
            'The first run of the sequencer makes it: npm start runs it every few seconds, a deployment every minute.',
        });
      }
      if (!newest) {
        const problems = [...linesOf(work.file('findings').chunks())].map(
          (line) => (JSON.parse(line) as Finding).problem,
        );
        throw new Failure(
          'negative',
          `The log in ${files.location} has no checkpoint that can be trusted. ${problems.join(' ')}`,
          {
            advice: 'Check the folder or bucket, and that the policy has the key of the log.',
          },
        );
      }
      const { size, root, origin } = newest.opened;
      const listing = sortListing(linesOf(paths.chunks()), size);
      for (const path of straysIn(linesOf(paths.chunks()))) {
        report({ kind: 'file', path, problem: `${path} is not a file of a log.` });
      }
      auditListing(listing, size, report);
      for (const { path, sha256 } of missingIn(linesOf(paths.chunks()))) {
        const bytes = (await files.read(path)) ?? new Uint8Array();
        if (createHash('sha256').update(bytes).digest('hex') === sha256) continue;
        report({ kind: 'staging', path, problem: `${path} has another content than its name says.` });
      }
      const before = listing.sizes[positionFrom(listing.sizes, size) - 1];
      const rootBefore = before === undefined ? undefined : rootIn(await files.read(checkpointPath(before)));
      const head = target && auditHead(items, { size, root, rootBefore, listing, now: await target.now() }, report);
      const unpublished = head?.unpublished ?? 0;
      if (target) {
        for (const path of beyondSize(linesOf(paths.chunks()), size + unpublished)) {
          report({ kind: 'file', path, problem: `${path} belongs to a larger tree than was ever claimed.` });
        }
      }
      const ofTable = keysIn(items);
      const keys = keysOfLog(origin, [
        ...policy.logs.map(({ key }) => formatVerifierKey(key)),
        ...ofTable.head,
        ...ofTable.receipts,
      ]);
      const known = partitions(work.file, 'known', partitionsFor(size));
      for (const path of request.known) {
        for await (const { leaf, entry } of readKnown(path, origin, policy)) {
          known.add(leaf, Buffer.from(JSON.stringify(entry)));
        }
      }
      const { signed } = newest;
      for (const { file, checkpoint } of request.previous) {
        if (checkpoint.size <= size) continue;
        const problem = `${file} was signed for ${checkpoint.size} entries, and the log has ${size}: it was rolled back.`;
        report({ kind: 'previous', path: file, problem });
      }
      keepPhase({
        done: 'beginning',
        snapshot: { signed, times: head?.times, unpublished, keys, files: listing.files },
      });
    }

    const snapshot = state.snapshot as Snapshot;
    const checkpoint = openCheckpoint(snapshot.signed, policy);
    const { size, root, origin } = checkpoint;
    const listing = sortListing(linesOf(work.file('paths').chunks()), size);
    const recordsOf = (name: string) => partitions(work.file, name, partitionsFor(size));
    const [leaves, rows] = [recordsOf('leaves'), recordsOf('rows')];

    if (state.done === 'beginning') {
      const progress = terminal.progress(size, 'reading the log');
      const counts = { ...state.stops };
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
          stopsUntil: stopsOf({ files, origin, policy, listing, previous, report, counts }),
          keep: (tree) => keep(() => ({ tree: tree(), stops: { ...counts } })),
          advance: (entries) => progress.advance(entries, 'entries of the log read'),
        },
        state.tree,
      );
      if (!tree.root) {
        const problem = `The entries and tiles do not lead to the root of the newest checkpoint, of size ${size}.`;
        report({ kind: 'root', problem });
      }
      progress.stop(`${size} entries of the log read`);
      keepPhase({ done: 'tree', tree: { ...state.tree, lost: tree.lost }, stops: counts, rootHolds: tree.root });
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
        for (const line of linesOf(work.file('findings').chunks())) yield JSON.parse(line) as Finding;
      },
    });
    work.remove();
  } finally {
    // Before the first step is done, there is nothing to continue.
    if (state.done === 'nothing') work.remove();
    else work.close();
  }
}
