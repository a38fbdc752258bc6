import pMap from 'p-map';
import { bundlesFrom, readBundle, TILE_WIDTH, type Tile } from '../../../functions/c2sp/tiles.ts';
import { EntryHashMap } from './entryHashMap.ts';
import type { PublishedLog } from './publishedLog.ts';

const CONCURRENT_READS = 32;

export type SearchedLog = Pick<PublishedLog, 'checkpoint' | 'readTile'> & {
  readonly head: Pick<PublishedLog['head'], 'marks'>;
};

/** Returns the parts of the log between the marks of its head. The first one has everything before them. */
function segmentsOf({ head, checkpoint }: SearchedLog) {
  const marks = head.marks.filter(({ size }) => size <= checkpoint.size);
  const starts = [{ cursor: Number.NEGATIVE_INFINITY, size: 0 }, ...marks];
  return starts.map(({ cursor, size: from }, index) => ({
    cursor,
    from,
    to: starts[index + 1]?.size ?? checkpoint.size,
  }));
}

/** A part of the log. Entries that were received from its cursor on come after its first entry hash. */
type Segment = ReturnType<typeof segmentsOf>[number];

/** Reads the indexes of the entry hashes of a segment. If one is in it twice, one of them counts. */
async function readSegment({ checkpoint, readTile }: SearchedLog, { from, to }: Segment) {
  const indexes = new EntryHashMap<number>();
  const count = from < to ? Math.ceil(to / TILE_WIDTH) - Math.floor(from / TILE_WIDTH) : 0;
  const bundles = bundlesFrom(from, checkpoint.size).take(count);
  const readHashes = async (bundle: Tile) => {
    const start = bundle.index * TILE_WIDTH;
    for (const [offset, entryHash] of readBundle(await readTile(bundle), bundle.width).entries()) {
      const index = start + offset;
      if (index >= from && index < to) indexes.set(entryHash, index);
    }
  };
  await pMap(bundles, readHashes, { concurrency: CONCURRENT_READS });
  return indexes;
}

/** Finds entries in a log. It reads a part of the log when an entry hash may be in it, and keeps what it read. */
export type LeafFinder = ReturnType<typeof entryFinder>;

export function entryFinder(log: SearchedLog) {
  const segments = segmentsOf(log);
  const known = new Map<Segment, ReturnType<typeof readSegment>>();
  const read = (segment: Segment) => {
    const indexes = known.get(segment) ?? readSegment(log, segment);
    known.set(segment, indexes);
    return indexes;
  };

  /**
   * Returns the index of an entry hash in the log; undefined if it is not there.
   * @param receivedAt the time of receipt in ms since 1970. The entry cannot come before the mark of that time.
   */
  return async (entryHash: Uint8Array, receivedAt: number): Promise<number | undefined> => {
    const first = segments.findLastIndex(({ cursor }) => cursor <= receivedAt);
    for (const segment of segments.slice(Math.max(0, first))) {
      const index = (await read(segment)).get(entryHash);
      if (index !== undefined) return index;
    }
    return undefined;
  };
}
