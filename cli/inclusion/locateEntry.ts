import type { Entry } from '../../functions/ailog/entry.ts';
import { isDependencyFailure } from '../../functions/dependencyFailure.ts';
import { parseArrival } from '../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { LeafFinder } from './leafFinder.ts';
import { leafFinder } from './leafFinder.ts';
import type { PublishedLog } from './publishedLog.ts';
import { readPublishedLog } from './publishedLog.ts';

/** The place of an entry in the transparency log, or the reason why it has none. */
export type Location =
  /** The leaf of the entry is in the log. */
  | { readonly status: 'logged'; readonly leaf: Buffer; readonly index: number }
  /**
   * The sequencer has not come to the time at which the entry was received, or has not ended its backfill, or has not
   * yet looked for entries of this time that the index showed late.
   */
  | { readonly status: 'pending' }
  /** The row was changed: its leaf is not the one that the service stored. `index`: the place of that leaf. */
  | { readonly status: 'differs'; readonly arrival: Arrival; readonly index: number | undefined }
  /**
   * The sequencer passed the time at which the entry was received, and a later reconciliation did not find it either.
   */
  | { readonly status: 'missing' };

/** The time after which the index shows an entry, in milliseconds. It usually takes less than a second. */
const INDEX_DELAY_MS = 5 * 60_000;

type Arrival = NonNullable<ReturnType<typeof parseArrival>>;

/** Returns the leaf of a row; undefined if its attributes are of types that the service never stores. */
export function leafOfRow(entry: Entry): Buffer | undefined {
  try {
    return entryHashOf(entryPreimage(entry));
  } catch {
    return undefined;
  }
}

/** The parts that locate a row in the log. */
export interface RowKeys {
  /** The leaf that follows from the attributes of the row; undefined: see `leafOfRow`. */
  readonly leaf: Buffer | undefined;
  /** The arrival key in the row, whatever it is. */
  readonly arrival: unknown;
  readonly receivedAt: number;
}

/** Returns what locates the row of an entry. */
export const rowKeysOf = (entry: Entry): RowKeys => ({
  leaf: leafOfRow(entry),
  arrival: entry.arrival,
  receivedAt: entry.receivedAt,
});

/** Creates a lookup of rows in a log. */
export const rowLocator =
  ({ head, checkpoint }: Pick<PublishedLog, 'head' | 'checkpoint'>, find: LeafFinder) =>
  async ({ leaf, receivedAt, ...keys }: RowKeys): Promise<Location> => {
    const index = leaf && (await find(leaf, receivedAt));
    if (leaf && index !== undefined) return { status: 'logged', leaf, index };
    const arrival = parseArrival(keys.arrival);
    if (arrival && !(leaf && arrival.entryHash.equals(leaf))) {
      return { status: 'differs', arrival, index: await find(arrival.entryHash, arrival.receivedAt) };
    }
    // The hourly reconciliation reads the index. Only the daily one finds rows without arrival keys, such as those of
    // the demo.
    const looked = (keys.arrival === undefined ? head.daily : head.hourly).doneAt;
    // A head may be claimed and not published yet. Until the backfill has ended, any older entry may be missing.
    const isPending =
      receivedAt >= Math.min(head.cursor, looked - INDEX_DELAY_MS) ||
      checkpoint.size < head.size ||
      head.daily.doneAt === 0;
    return { status: isPending ? 'pending' : 'missing' };
  };

/**
 * Opens the transparency log for a command that shows entries, and works without the log too.
 * @returns the log and a lookup of rows in it; undefined if there is no log. If the log cannot be read, a note says
 * why. If it contradicts itself, the result of the command is negative too
 */
export async function openLocator(terminal: Terminal, target: Target) {
  let isReadable = true;
  const orNote = async <Result>(read: () => Promise<Result>): Promise<Result | undefined> => {
    if (!isReadable) return undefined;
    try {
      return await read();
    } catch (error) {
      if (isDependencyFailure(error)) throw error;
      isReadable = false;
      if (error instanceof Failure && error.outcome === 'negative') terminal.reportNegative();
      terminal.note(`The transparency log was not read: ${(error as Error).message}`);
      return undefined;
    }
  };
  const log = await orNote(() => readPublishedLog(target));
  if (!log) return undefined;
  const locate = rowLocator(log, leafFinder(log));
  return { log, locate: (row: RowKeys): Promise<Location | undefined> => orNote(() => locate(row)) };
}
