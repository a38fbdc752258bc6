import type { Entry } from '../../../functions/ailog/entry.ts';
import { isDependencyFailure } from '../../../functions/dependencyFailure.ts';
import { arrivalKeysOf, parseArrival } from '../../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { Target } from '../../store/targets/target.ts';
import { entryFinder, type LeafFinder } from './entryFinder.ts';
import { type PublishedLog, readPublishedLog } from './publishedLog.ts';

/** The place of an entry in the transparency log, or the reason why it has none. */
export type Location =
  | { readonly status: 'logged'; readonly entryHash: Buffer; readonly index: number }
  /** The sequencer has not come past the time at which the entry was received, and the window after it. */
  | { readonly status: 'pending' }
  /** The row was changed: its entry hash is not the one that the service stored. `index`: where that one is. */
  | { readonly status: 'differs'; readonly arrival: Arrival; readonly index: number | undefined }
  /**
   * The sequencer came past that time without the entry, or never will see it, because the index does not show it.
   * `isWaiting`: it has not looked a second time, which finds an entry that it got with a clock that was set back.
   */
  | { readonly status: 'missing'; readonly isIndexed: boolean; readonly isWaiting: boolean };

/** The time for which the sequencer looks for an entry that the index shows late, in milliseconds. */
export const WINDOW_MS = 10 * 60_000;

type Arrival = NonNullable<ReturnType<typeof parseArrival>>;

/** Returns the entry hash of a row; undefined if its attributes are of types that the service never stores. */
export function entryHashOfRow(entry: Entry): Buffer | undefined {
  try {
    return entryHashOf(entryPreimage(entry));
  } catch {
    return undefined;
  }
}

export interface RowKeys {
  /** The entry hash that follows from the attributes of the row; undefined: see `entryHashOfRow`. */
  readonly entryHash: Buffer | undefined;
  readonly arrival: unknown;
  /**
   * True if the arrival keys are those that the service stores with such an entry. Others the sequencer never finds.
   */
  readonly isIndexed: boolean;
  readonly receivedAt: number;
}

export function rowKeysOf(entry: Entry): RowKeys {
  const { arrival, receivedAt } = entry;
  const entryHash = entryHashOfRow(entry);
  return { entryHash, arrival, isIndexed: isIndexed(entry, entryHash), receivedAt };
}

/** Returns true if the arrival keys of a row are those that the service stores with it. */
function isIndexed({ slot, arrival, receivedAt }: Entry, entryHash: Buffer | undefined): boolean {
  if (!entryHash || !(arrival instanceof Uint8Array)) return false;
  try {
    const keys = arrivalKeysOf(receivedAt, entryHash);
    return slot === keys.slot && Buffer.compare(arrival, keys.arrival) === 0;
  } catch {
    // No service has received it at such a time.
    return false;
  }
}

export const rowLocator =
  ({ head, checkpoint }: Pick<PublishedLog, 'head' | 'checkpoint'>, find: LeafFinder) =>
  async ({ entryHash, receivedAt, isIndexed, ...keys }: RowKeys): Promise<Location> => {
    const index = entryHash && (await find(entryHash, receivedAt));
    if (entryHash && index !== undefined) return { status: 'logged', entryHash, index };
    const arrival = parseArrival(keys.arrival);
    if (arrival && !(entryHash && arrival.entryHash.equals(entryHash))) {
      return { status: 'differs', arrival, index: await find(arrival.entryHash, arrival.receivedAt) };
    }
    // A head may be claimed and not published yet.
    const isPending = receivedAt >= head.cursor - WINDOW_MS || checkpoint.size < head.size;
    if (isPending && isIndexed) return { status: 'pending' };
    return { status: 'missing', isIndexed, isWaiting: isIndexed && receivedAt >= head.looked };
  };

/**
 * Reads the transparency log for a command that works without it too.
 * @returns undefined if it cannot be read; a note says why. If it contradicts itself, the result of the command is
 * negative
 */
export async function orNoLog<Result>(terminal: Terminal, read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDependencyFailure(error)) throw error;
    if (error instanceof Failure && error.outcome === 'negative') terminal.reportNegative();
    const { message, advice = '' } = error as Failure;
    terminal.note(`The transparency log was not read: ${message} ${advice}`.trimEnd());
    return undefined;
  }
}

/**
 * Opens the transparency log for a command that shows entries, see `orNoLog`.
 * @returns the log and a lookup of rows in it; undefined if there is no log
 */
export async function openLocator(terminal: Terminal, target: Target) {
  const log = await orNoLog(terminal, () => readPublishedLog(target));
  if (!log) return undefined;
  const locate = rowLocator(log, entryFinder(log));
  let isReadable = true;
  return {
    log,
    async locate(row: RowKeys): Promise<Location | undefined> {
      const location = isReadable ? await orNoLog(terminal, () => locate(row)) : undefined;
      isReadable = location !== undefined;
      return location;
    },
  };
}
