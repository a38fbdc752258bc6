import type { Entry } from '../../functions/ailog/entry.ts';
import { parseArrival } from '../../functions/tlog/arrival.ts';
import { leafOf, leafPreimage } from '../../functions/tlog/leaf.ts';
import type { LeafFinder } from './leafFinder.ts';
import type { PublishedLog } from './publishedLog.ts';

/** The place of an entry in the transparency log, or the reason why it has none. */
export type Location =
  /** The leaf of the entry is in the log. */
  | { readonly status: 'logged'; readonly leaf: Buffer; readonly index: number }
  /** The sequencer has not come to the time at which the entry was received, or has not ended its backfill. */
  | { readonly status: 'pending' }
  /** The row was changed: it has another leaf than when the service stored it. `index`: the place of that leaf. */
  | { readonly status: 'differs'; readonly arrival: Arrival; readonly index: number | undefined }
  /** The sequencer passed the time at which the entry was received. */
  | { readonly status: 'missing' };

type Arrival = NonNullable<ReturnType<typeof parseArrival>>;

/** Returns the leaf of a row; undefined if its attributes are of types that the service never stores. */
export function leafOfRow(entry: Entry): Buffer | undefined {
  try {
    return leafOf(leafPreimage(entry));
  } catch {
    return undefined;
  }
}

/** What locates a row in the log. */
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

/** Returns a function that locates rows in a log. */
export const rowLocator =
  ({ head, checkpoint }: Pick<PublishedLog, 'head' | 'checkpoint'>, find: LeafFinder) =>
  async ({ leaf, receivedAt, ...keys }: RowKeys): Promise<Location> => {
    const index = leaf && (await find(leaf, receivedAt));
    if (leaf && index !== undefined) return { status: 'logged', leaf, index };
    const arrival = parseArrival(keys.arrival);
    if (arrival && !(leaf && arrival.leaf.equals(leaf))) {
      return { status: 'differs', arrival, index: await find(arrival.leaf, arrival.receivedAt) };
    }
    // A head may be claimed and not published yet. Until the backfill has ended, any older entry may be missing.
    const isPending = receivedAt >= head.cursor || checkpoint.size < head.size || head.daily.doneAt === 0;
    return { status: isPending ? 'pending' : 'missing' };
  };
