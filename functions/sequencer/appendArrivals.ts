import { markBefore } from '../tlog/head.ts';
import type { Head } from '../tlog/tlogTable.ts';
import type { Sequencer } from './sequence.ts';
import { readEntryHashes } from './storage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The number of leaves at which a batch is closed: an append takes seconds and a few hundred files. */
export const BATCH_LEAVES = 65_536;

/** The time that one append goes forward at most, so that a log that restarts keeps its place. */
const STEP_MS = 6 * HOUR_MS;

/** The age at which the entries of an hour are looked for a second time. */
const LOOK_AFTER_MS = 48 * HOUR_MS;

/**
 * Creates a reader of the entries that the index shows and the log lacks.
 * @param from the time from which on they were received, in milliseconds since 1970: only leaves after the mark of that
 * time are read
 * @param until the number of leaves after which none of them can be
 */
async function missingFrom({ head, options, abortSignal }: Sequencer, from: number, until: number) {
  const leaves = { from: markBefore(head.marks, from)?.size ?? 0, until, size: head.size };
  const logged = await readEntryHashes(options.storage, leaves, abortSignal);
  return async (range: readonly [number, number]): Promise<Buffer[]> => {
    const shown = await options.arrivals.between(range, abortSignal);
    return shown.filter((entryHash) => !logged.has(entryHash.toString('latin1')));
  };
}

/** Reads missing entries minute by minute, until the batch is full. @returns the time up to which they were read */
async function fillBatch(
  missingIn: Awaited<ReturnType<typeof missingFrom>>,
  [from, until]: readonly [number, number],
  batch: Buffer[],
): Promise<number> {
  let time = from;
  while (time < until && batch.length < BATCH_LEAVES) {
    const next = Math.min(until, Math.floor(time / MINUTE_MS + 1) * MINUTE_MS);
    for (const entryHash of await missingIn([time, next])) batch.push(entryHash);
    time = next;
  }
  return time;
}

/**
 * Appends the next batch of entries that were received since the cursor, whole minutes at a time, and those that the
 * index has shown since in the window before it. Moves the cursor.
 * @param until the time up to which the index is read, in milliseconds since 1970: at least `lagMs` ago
 * @returns the number of new entries, and of those from before the cursor
 */
export async function appendArrivals(sequencer: Sequencer, until: number): Promise<{ appended: number; late: number }> {
  // Step 5.
  const { cursor: from, size } = sequencer.head;
  const since = from - sequencer.options.windowMs;
  const missingIn = await missingFrom(sequencer, since, size);
  const batch = await missingIn([since, from]);
  const late = batch.length;
  const cursor = await fillBatch(missingIn, [from, Math.min(until, from + STEP_MS)], batch);
  // Sorted: the order reveals nothing, and two sequencers that read the same entries stage the same bytes.
  await sequencer.append(batch.sort(Buffer.compare), { cursor });
  return { appended: batch.length - late, late };
}

const endOfHour = (time: number): number => Math.floor(time / HOUR_MS + 1) * HOUR_MS;

/**
 * Reads an hour of the index again that the cursor has passed with a clock that was ahead, and appends what the log
 * lacks.
 * @param from the beginning of the hour, in milliseconds since 1970
 * @returns the number of new entries
 */
export async function readAgain(sequencer: Sequencer, from: number): Promise<number> {
  const { cursor, size } = sequencer.head;
  const batch: Buffer[] = [];
  const range = [from, Math.min(cursor, endOfHour(from))] as const;
  const readAgainFrom = await fillBatch(await missingFrom(sequencer, from, size), range, batch);
  await sequencer.append(batch.sort(Buffer.compare), { readAgainFrom });
  return batch.length;
}

/** Returns true if the entries of an hour are due to be looked for a second time. */
export const isLookDue = ({ looked, cursor }: Head): boolean => looked + HOUR_MS + LOOK_AFTER_MS <= cursor;

/**
 * Looks for the entries of an hour a second time, two days later, and appends those that the log lacks: the index
 * showed them later than it ever should.
 * @returns their number
 */
export async function lookAgain(sequencer: Sequencer): Promise<number> {
  const { looked: from, marks, size } = sequencer.head;
  const end = endOfHour(from);
  // Entries of this hour are before the first mark whose window begins after it.
  const until = marks.find(({ cursor }) => cursor >= end + sequencer.options.windowMs)?.size ?? size;
  const batch: Buffer[] = [];
  const looked = await fillBatch(await missingFrom(sequencer, from, until), [from, end], batch);
  // The place moves in the same write, so nothing is added twice.
  await sequencer.append(batch.sort(Buffer.compare), { looked });
  return batch.length;
}
