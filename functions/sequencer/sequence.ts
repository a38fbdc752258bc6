/**
 * Appends entries to the transparency log, in the order of the steps. The file `commits/<n>` is created once,
 * and decides the n-th append (docs/decisions.md#commit-files); everything else follows from it, so a run can be killed
 * at any point, and several can run at once. docs/design.md, "Life of a leaf", has the same steps. Why this log:
 * docs/decisions.md#transparency-log. Model: FiloSottile/sunlight, internal/ctlog/ctlog.go, `LoadLog`, `sequencePool`.
 */
import pMap from 'p-map';
import { formatCheckpoint, parseCheckpoint } from '../c2sp/checkpoint.ts';
import { EMPTY_ROOT, sameHash } from '../c2sp/hashing.ts';
import { parseNote, type Signer, signNote, verifyNote } from '../c2sp/note.ts';
import type { Policy } from '../c2sp/policy.ts';
import { appendEntries, rootOfEdge, type TileFile } from '../c2sp/rightEdge.ts';
import { tilePath } from '../c2sp/tiles.ts';
import { treeReader } from '../c2sp/treeReader.ts';
import { orUndefined } from '../orUndefined.ts';
import { COMMIT_ENTRIES, type Commit, formatCommit, parseCommit, type Tree } from '../tlog/commit.ts';
import { findCommit } from '../tlog/findCommit.ts';
import { openCheckpoint } from '../tlog/openCheckpoint.ts';
import { CHECKPOINT, COMMITS, checkpointPath, commitNumber, commitPath } from '../tlog/paths.ts';
import type { receiptKeyTable } from '../tlog/receiptKeyTable.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import { type FatalCondition, FatalError } from './fatalError.ts';
import { createFile, readVerifiedEdge, type StoredFile, type TlogStorage } from './storage.ts';
import { askWitnesses } from './witnesses.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The time after which an idle log commits, so that everyone sees that it is alive. */
const IDLE_MS = 10 * MINUTE_MS;

/** The age at which the entries of an hour are looked for a second time. */
const LOOK_AFTER_MS = 48 * HOUR_MS;

/** The time by which two clocks may differ. Less than the lag, so that nothing is received before the cursor. */
const CLOCK_TOLERANCE_MS = 5000;

const CALLS = 16;

export interface Log {
  readonly origin: string;
  readonly storage: TlogStorage;
  readonly table: Pick<ReturnType<typeof receiptKeyTable>, 'getFloor' | 'raiseFloor'>;
  readonly arrivals: Arrivals;
  /** Returns the keys that sign checkpoints: one, or two during a rotation. */
  readonly signers: (abortSignal: AbortSignal) => Promise<readonly Signer[]>;
  /** The witnesses to ask and their quorum; undefined: no witnesses. */
  readonly witnesses: Policy | undefined;
  readonly witnessTimeoutMs: number;
  readonly now: () => number;
  /** Returns the milliseconds that the clock of the storage is ahead of this one. Undefined: they are one clock. */
  readonly correction?: () => number;
  /** The time that an entry waits before it is sequenced. Longer than an upload takes and the index usually needs. */
  readonly lagMs: number;
  /** The time before the cursor that each run reads again: the index may show an entry as late as this. */
  readonly windowMs: number;
  /** The most that one commit goes forward, so that a log that stood still keeps its place. */
  readonly stepMs: number;
  /** The days for which entries are kept; 0: for ever. */
  readonly retentionDays: number;
}

/** Ends a run because another one was first. It is no failure: the other one does the work. */
class Superseded extends Error {}

/** The result of one run. The log line of a run has the same fields. */
export interface Outcome {
  /** The new entries, and entries that were found only two days later. */
  appended: number;
  found: number;
  /** Another run was at work, so this one ended early. */
  superseded: boolean;
  /** How old the newest entry is that can be missing, in milliseconds, and the number of leaves in the log. */
  lag: number;
  size: number;
  /** True if the last checkpoint has fewer cosignatures than the policy requires. */
  quorumMissed: boolean;
  /** The reasons why witnesses did not cosign, by their names in the policy. */
  witnessFailures: Readonly<Record<string, string>>;
}

const EMPTY: Tree = { size: 0, root: EMPTY_ROOT };
const isSame = (one: Tree, other: Tree): boolean => one.size === other.size && sameHash(one.root, other.root);
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Reads what a file says. @throws FatalError if it does not say it as the sequencer does */
function readAs<Content>(condition: FatalCondition, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new FatalError(condition, (error as Error).message);
  }
}

/**
 * Runs the sequencer once: publishes what an earlier run has decided, appends what is new, and looks again at hours
 * that are due. @throws FatalError if the log must stop; another error if the next run may succeed
 */
export async function run(log: Log, abortSignal: AbortSignal): Promise<Outcome> {
  const { origin, storage, table, arrivals, witnesses, now, correction = () => 0, lagMs, windowMs, stepMs } = log;
  const outcome: Outcome = {
    appended: 0,
    found: 0,
    superseded: false,
    lag: 0,
    size: 0,
    quorumMissed: false,
    witnessFailures: {},
  };

  const readCommit = async (n: number): Promise<Commit> => {
    const file = await storage.get(commitPath(n), abortSignal);
    if (!file) throw new FatalError('rolled-back', `The log had ${commitPath(n)}, and has it no more.`);
    const commit = readAs('file-differs', () => parseCommit(textOf(file.bytes), commitPath(n)));
    if (commit.n !== n) throw new FatalError('file-differs', `${commitPath(n)} is a commit of the number ${commit.n}.`);
    if (commit.origin !== origin)
      throw new FatalError('key-unknown', `The bucket has the log ${commit.origin}, and not ${origin}.`);
    return commit;
  };

  const treeOf = (file: StoredFile | undefined): Tree =>
    file ? readAs('file-differs', () => parseCheckpoint(parseNote(textOf(file.bytes)).text)) : EMPTY;

  // Step 3: what is there. In this order, because each of the three was true before the next is read: the floor is
  // raised after the checkpoint, and the checkpoint is written after the commit.
  const floor = await table.getFloor(abortSignal);
  let checkpoint = await storage.get(CHECKPOINT, abortSignal);
  const names = await storage.list(COMMITS, commitPath(Math.max(0, floor - 1)), abortSignal);
  const numbers = names.flatMap((path) => commitNumber(path) ?? []);
  const first = Math.max(1, floor);
  if (floor > 0 && numbers.length === 0)
    throw new FatalError('rolled-back', `${commitPath(first)} was there, and is no more.`);

  // One run with a clock that is a day ahead would move the cursor past a day of entries.
  if (Math.abs(correction()) > CLOCK_TOLERANCE_MS) {
    const [own, other] = [now(), now() + correction()].map((ms) => new Date(ms).toISOString());
    throw new FatalError('clock-differs', `The clock reads ${own}, and that of the storage ${other}.`);
  }

  const started = now();
  let newest: Commit;
  // If one of them is gone, the last of so many is not there.
  if (numbers.length > 0) newest = await readCommit(first + numbers.length - 1);
  else {
    // A new log begins with the table: what was received before it is appended too. An entry that the index has not
    // shown for two days will not show.
    const cursor = Math.min(started - lagMs, await arrivals.beginning(abortSignal));
    const looked = Math.max(cursor, started - LOOK_AFTER_MS);
    newest = { origin, n: 0, time: 0, cursor, looked, retentionDays: 0, from: EMPTY, to: EMPTY, entries: [] };
  }
  const ahead = Math.max(newest.time, newest.cursor);
  if (started < ahead - CLOCK_TOLERANCE_MS) {
    const [own, other] = [started, ahead].map((ms) => new Date(ms).toISOString());
    throw new FatalError('clock-differs', `The clock reads ${own}, and ${commitPath(newest.n)} was made at ${other}.`);
  }

  const signers = await log.signers(abortSignal);
  const keys = signers.map(({ key }) => key);
  // A verifier goes on to trust the log because a key that it knows signs beside a new one.
  const signersOf = (signed: StoredFile): number =>
    readAs('file-differs', () => verifyNote(parseNote(textOf(signed.bytes)), keys).length);
  const hasQuorum = (): boolean => {
    if (!witnesses || !checkpoint) return true;
    const policy = { ...witnesses, logs: keys.map((key) => ({ key })) };
    const signed = textOf(checkpoint.bytes);
    return orUndefined(() => openCheckpoint(signed, policy))?.quorum ?? false;
  };
  if (checkpoint && signersOf(checkpoint) === 0)
    throw new FatalError('key-unknown', `No configured key of ${origin} has signed the checkpoint in the bucket.`);

  /** Checks that the checkpoint belongs to the newest commit or, until that is published, to the commit before. */
  const requireFollowing = async (): Promise<void> => {
    const shown = treeOf(checkpoint);
    const least = floor >= newest.n ? newest.to : newest.from;
    if (shown.size > newest.to.size)
      throw new FatalError(
        'rolled-back',
        `The checkpoint has ${shown.size} leaves, the newest commit ${newest.to.size}.`,
      );
    if (shown.size < least.size) {
      // Others may have published and decided since the checkpoint was read.
      if (treeOf(await storage.get(CHECKPOINT, abortSignal)).size >= least.size) throw new Superseded();
      throw new FatalError('rolled-back', `The checkpoint had ${least.size} leaves, and has ${shown.size}.`);
    }
    if (!isSame(shown, newest.to) && !isSame(shown, newest.from))
      throw new FatalError('root-differs', `The checkpoint of size ${shown.size} has another root than the commit.`);
  };

  /** Publishes the newest commit. Whoever does it writes the same tree. @param files the tiles that the commit adds */
  const publish = async (files: readonly TileFile[]): Promise<void> => {
    const { n, from, to } = newest;
    // Step 7. Other bytes in a tile are two histories. The tiles are durable before anything is signed, so each
    // checkpoint has its tree. After a crash among them, the next run stores the rest.
    await pMap(files, (file) => createFile(storage, file, abortSignal), { concurrency: CALLS });

    // Step 8: the signature, and the cosignatures of witnesses that answer in time.
    const own = checkpointPath(n);
    let signed = await storage.get(own, abortSignal);
    if (!signed) {
      let note = await signNote(formatCheckpoint({ origin, ...to }), signers, abortSignal);
      if (witnesses) {
        const readTile = async (tile: Parameters<typeof tilePath>[0]) => {
          const file = await storage.get(tilePath(tile), abortSignal);
          if (!file) throw new Error(`The log has no ${tilePath(tile)}.`);
          return file.bytes;
        };
        const { consistencyProof } = treeReader(readTile, to.size);
        const submission = { signed: note, from: from.size, timeoutMs: log.witnessTimeoutMs, consistencyProof };
        const { lines, failures } = await askWitnesses(witnesses, submission, abortSignal);
        note += lines;
        outcome.witnessFailures = failures;
      }
      await storage.create(own, Buffer.from(note), abortSignal);
      // Another run may have been first, with other cosignatures.
      signed = await storage.get(own, abortSignal);
    }
    if (!signed || !isSame(treeOf(signed), to) || signersOf(signed) === 0)
      throw new FatalError('file-differs', `${own} is not the checkpoint of ${commitPath(n)}.`);

    // Step 9. Everyone sees the entries from here on. A run that slept meanwhile does not replace a newer checkpoint.
    if (!(await storage.replace(CHECKPOINT, signed.bytes, checkpoint?.etag, abortSignal))) throw new Superseded();
    checkpoint = await storage.get(CHECKPOINT, abortSignal);

    // A bucket that shows less than this was rolled back. After a crash before, the next run publishes again.
    await table.raiseFloor(n, abortSignal);
  };

  /** Decides the next commit, and publishes it. */
  const append = async (entries: readonly Uint8Array[], change: Partial<Pick<Commit, 'cursor' | 'looked'>>) => {
    // Sorted: the order reveals nothing.
    const sorted = entries.toSorted(Buffer.compare);
    const { edge, files } = appendEntries(await readVerifiedEdge(storage, newest.to, abortSignal), sorted);
    const next: Commit = {
      ...newest,
      ...change,
      n: newest.n + 1,
      time: Math.max(now(), newest.time),
      retentionDays: log.retentionDays,
      from: newest.to,
      to: { size: edge.size, root: rootOfEdge(edge) },
      entries: sorted,
    };
    // Step 6. From here on the order is decided: the entries and the cursor are in one write, so none is left out or
    // comes twice. A run that loses has signed nothing. After a crash, the next run publishes this commit.
    const made = await storage.create(commitPath(next.n), Buffer.from(formatCommit(next)), abortSignal);
    if (made === 'different') throw new Superseded();
    newest = next;
    await publish(files);
  };

  const entriesOf = (commits: readonly Commit[]): Set<string> =>
    new Set(commits.flatMap(({ entries }) => entries.map((entry) => Buffer.from(entry).toString('latin1'))));

  const readCommits = (from: number, until: number): Promise<Commit[]> =>
    pMap(
      Array.from({ length: until - from + 1 }, (_, at) => from + at),
      readCommit,
      { concurrency: CALLS },
    );

  /** Returns the newest commits: all that can have an entry of a time, because their cursors are at it or after it. */
  const commitsSince = async (time: number): Promise<Commit[]> => {
    const commits: Commit[] = [];
    for (let n = newest.n; n > 0 && (commits[0]?.cursor ?? time) >= time; n -= CALLS)
      commits.unshift(...(await readCommits(Math.max(1, n - CALLS + 1), n)));
    return commits;
  };

  /** Returns the number of the first commit with a cursor at a time or after it. The newest has one. */
  const commitOf = async (time: number): Promise<number> => (await findCommit(readCommit, newest, time)) ?? newest.n;

  /**
   * Yields the entries of a range of times that the index shows and the log lacks, in batches for one commit each.
   * `end`: everything before is in this batch or an earlier one, and nothing after it is.
   */
  async function* missing(from: number, until: number, logged: ReadonlySet<string>) {
    let rest: Arrival[] = [];
    for (let [time, began, span] = [from, from, MINUTE_MS]; time < until; ) {
      const end = Math.min(until, began + stepMs, Math.floor(time / MINUTE_MS) * MINUTE_MS + span);
      const shown = await arrivals.between([time, end], abortSignal);
      for (const one of shown) if (!logged.has(one.entryHash.toString('latin1'))) rest.push(one);
      time = end;
      // Whole minutes of a rush have more than memory should hold, and most minutes have nothing.
      span = shown.length > COMMIT_ENTRIES ? MINUTE_MS : 2 * span;
      rest.sort((one, other) => one.receivedAt - other.receivedAt);
      while (rest.length > COMMIT_ENTRIES) {
        const bound = rest[COMMIT_ENTRIES]?.receivedAt as number;
        const before = rest.findIndex(({ receivedAt }) => receivedAt === bound);
        // Cut between two milliseconds, unless one has more entries than a commit.
        const batch = rest.slice(0, before || COMMIT_ENTRIES);
        rest = rest.slice(batch.length);
        yield { batch: batch.map(({ entryHash }) => entryHash), end: bound };
      }
      if (time < until && time - began < stepMs) continue;
      yield { batch: rest.map(({ entryHash }) => entryHash), end: time };
      [rest, began] = [[], time];
    }
  }

  try {
    if (newest.n === 0 && checkpoint) throw new FatalError('rolled-back', 'There is a checkpoint, and no commit.');
    if (newest.n > 0) await requireFollowing();
    if (floor < newest.n) {
      // Step 4. An earlier run died after its decision, or another one is at work. Both write the same files.
      const { edge, files } = appendEntries(await readVerifiedEdge(storage, newest.from, abortSignal), newest.entries);
      if (!isSame({ size: edge.size, root: rootOfEdge(edge) }, newest.to))
        throw new FatalError('root-differs', `The root of ${commitPath(newest.n)} does not follow from its entries.`);
      await publish(files);
    }

    // Step 5: new entries: the index from a window before the cursor up to the lag, without entries that the log has.
    // The commits say by their cursors which entries the log has, so a run needs no memory of its own.
    const since = newest.cursor - windowMs;
    const logged = entriesOf(await commitsSince(since));
    const until = now() - lagMs;
    for await (const { batch, end } of missing(since, until, logged)) {
      // An idle log commits every ten minutes, and when its retention, its keys or its witnesses have something new. A
      // run that reads an old index for so long keeps its place.
      const isLast = end === until;
      const isIdle = isLast ? end - newest.cursor >= IDLE_MS : now() - Math.max(newest.time, started) >= IDLE_MS;
      const isSigned = checkpoint && signersOf(checkpoint) === keys.length && hasQuorum();
      const isNew = isLast && (newest.retentionDays !== log.retentionDays || !isSigned);
      if (batch.length === 0 && !isIdle && !isNew) continue;
      await append(batch, { cursor: Math.max(newest.cursor, end) });
      outcome.appended += batch.length;
    }

    // Step 10: two days later, hour by hour: what the index showed later than the window.
    while (newest.looked + HOUR_MS + LOOK_AFTER_MS <= newest.cursor) {
      const hour = [newest.looked, Math.floor(newest.looked / HOUR_MS + 1) * HOUR_MS] as const;
      const logged = await readCommits(await commitOf(hour[0]), await commitOf(hour[1] + windowMs));
      for await (const { batch, end } of missing(...hour, entriesOf(logged))) {
        if (batch.length > 0 || end === hour[1]) await append(batch, { looked: end });
        outcome.found += batch.length;
      }
    }
    return { ...outcome, lag: now() - until, size: newest.to.size, quorumMissed: !hasQuorum() };
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    return { ...outcome, superseded: true };
  }
}
