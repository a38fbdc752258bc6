import type { Entry } from '../../../functions/ailog/entry.ts';
import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { arrivalKeysOf, parseArrival } from '../../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { type Engine, queryOf } from '../../store/duckdb/duckdb.ts';

/** The time for which the sequencer looks for an entry that the index shows late, in milliseconds. */
const WINDOW_MS = 10 * 60_000;

/** The clocks of the service, of the sequencer and of this command may differ by this much, in milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

/** What the place of a row in the log follows from. */
export interface RowFacts {
  readonly isLogged: boolean;
  /** True if its arrival keys name the hash of another entry: it was changed, or copied from the row of that one. */
  readonly isChanged: boolean;
  /** True if its arrival keys are those that the service stores with it. The sequencer finds no other row. */
  readonly isIndexed: boolean;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** How far a log has come. Times are in milliseconds since 1970. */
export interface Progress {
  /** Entries that were received before it are in the log, except those that the index shows late. */
  readonly cursor: number;
  readonly now: number;
}

/** Compares a row with the log. sql/placed.sql has the same rule for many rows. */
export function statusOf({ isLogged, isChanged, isIndexed, receivedAt }: RowFacts, { cursor, now }: Progress): Status {
  if (isLogged) return 'logged';
  if (isChanged) return 'differs';
  const isPending = isIndexed && receivedAt >= cursor - WINDOW_MS && receivedAt <= now + CLOCK_SKEW_MS;
  return isPending ? 'pending' : 'missing';
}

/**
 * Compares a log with rows.
 * @param engine has the tables `leaf` (idx, hash), the entries of the log; `announced` (hash), those that stand for
 * keys and retentions; and `compared` (hash), the rows. It gets `logged` and `without_row`, see sql/withoutRow.sql
 */
export const compareLog = ({ run }: Engine): Promise<void> => run(queryOf('withoutRow', import.meta.url));

/** After `compareLog`, compares the rows with the log: the engine gets `placed`, see sql/placed.sql. */
export function compareRows({ run }: Engine, { cursor, now }: Progress): Promise<void> {
  const sql = queryOf('placed', import.meta.url);
  return run(sql.replace('$earliest', String(cursor - WINDOW_MS)).replace('$latest', String(now + CLOCK_SKEW_MS)));
}

/** The place of an entry in the log, or the reason why it has none. */
export type Place =
  | { readonly status: 'logged'; readonly entryHash: Buffer; readonly index: number }
  /** It need not be there yet. */
  | { readonly status: 'pending' }
  /** The row was changed. `stored`: the hash of the entry as the service stored it, and where that is in the log. */
  | { readonly status: 'differs'; readonly stored: Buffer; readonly index: number | undefined }
  | { readonly status: 'missing'; readonly why: WhyMissing };

export type Status = Place['status'];

/**
 * `unindexed`: without its arrival keys, the sequencer never finds it. `ahead`: its time has not come. `passed`: the
 * log came past its time. `waiting`: it did, and will look a second time, which finds an entry that the service
 * received with a clock that was set back.
 */
export type WhyMissing = 'unindexed' | 'ahead' | 'waiting' | 'passed';

/** @param log `now`, and up to which time the sequencer has `looked` a second time, in milliseconds since 1970 */
export function whyMissing(
  { isIndexed, receivedAt }: Pick<RowFacts, 'isIndexed' | 'receivedAt'>,
  { now, looked }: { readonly now: number; readonly looked: number },
): WhyMissing {
  if (!isIndexed) return 'unindexed';
  if (receivedAt > now) return 'ahead';
  return receivedAt >= looked ? 'waiting' : 'passed';
}

/** Returns the entry hash of a row; undefined if its attributes are of types that the service never stores. */
export const entryHashOfRow = (entry: Entry): Buffer | undefined =>
  orUndefined(() => entryHashOf(entryPreimage(entry)));

/** What is looked up of a row. */
export interface RowKeys extends Pick<RowFacts, 'isIndexed' | 'receivedAt'> {
  /** The entry hash that follows from the attributes of the row; undefined: see `entryHashOfRow`. */
  readonly entryHash: Buffer | undefined;
  /** What its arrival keys name, if that is another one. */
  readonly stored?: ReturnType<typeof parseArrival>;
}

export function rowKeysOf(entry: Entry): RowKeys {
  const { receivedAt } = entry;
  const entryHash = entryHashOfRow(entry);
  const named = parseArrival(entry.arrival);
  const stored = named && !(entryHash && named.entryHash.equals(entryHash)) ? named : undefined;
  return { entryHash, stored, isIndexed: isIndexed(entry, entryHash), receivedAt };
}

function isIndexed({ slot, arrival, receivedAt }: Entry, entryHash: Buffer | undefined): boolean {
  if (!entryHash || !(arrival instanceof Uint8Array)) return false;
  // No service has received an entry at a time that makes no keys.
  const keys = orUndefined(() => arrivalKeysOf(receivedAt, entryHash));
  return slot === keys?.slot && keys !== undefined && Buffer.compare(arrival, keys.arrival) === 0;
}

/** A log, as far as the places of rows in it follow from it. Times are in milliseconds since 1970. */
export interface LocatedLog {
  readonly head: Pick<Head, 'cursor' | 'looked' | 'size'>;
  readonly checkpoint: Pick<Checkpoint, 'size'>;
  readonly now: number;
  /** Returns the index of an entry hash; undefined if it is not there. */
  readonly find: (entryHash: Uint8Array, receivedAt: number) => Promise<number | undefined>;
}

export const placeFinder = (log: LocatedLog) => {
  const { head, checkpoint, now } = log;
  // A head may be claimed and not published yet. Nobody knows how far the log has come.
  const progress: Progress = { cursor: checkpoint.size < head.size ? 0 : head.cursor, now };
  return async ({ entryHash, stored, isIndexed, receivedAt }: RowKeys): Promise<Place> => {
    const index = entryHash && (await log.find(entryHash, receivedAt));
    if (entryHash && index !== undefined) return { status: 'logged', entryHash, index };
    const status = statusOf({ isLogged: false, isChanged: stored !== undefined, isIndexed, receivedAt }, progress);
    if (stored && status === 'differs') {
      return { status, stored: stored.entryHash, index: await log.find(stored.entryHash, stored.receivedAt) };
    }
    if (status === 'pending') return { status };
    return { status: 'missing', why: whyMissing({ isIndexed, receivedAt }, { now, looked: head.looked }) };
  };
};
