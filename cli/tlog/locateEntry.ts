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

/** Returns a function that locates the rows of entries in a log. */
export const entryLocator =
  ({ head, checkpoint }: Pick<PublishedLog, 'head' | 'checkpoint'>, find: LeafFinder) =>
  async (entry: Entry): Promise<Location> => {
    const leaf = leafOfRow(entry);
    const index = leaf && (await find(leaf, entry.receivedAt));
    if (leaf && index !== undefined) return { status: 'logged', leaf, index };
    const arrival = parseArrival(entry.arrival);
    if (arrival && !(leaf && arrival.leaf.equals(leaf))) {
      return { status: 'differs', arrival, index: await find(arrival.leaf, arrival.receivedAt) };
    }
    // A head may be claimed and not published yet. Until the backfill has ended, any older entry may be missing.
    const isPending = entry.receivedAt >= head.cursor || checkpoint.size < head.size || head.everything.doneAt === 0;
    return { status: isPending ? 'pending' : 'missing' };
  };
