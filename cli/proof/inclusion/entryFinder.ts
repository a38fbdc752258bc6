import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { TILE_WIDTH, type Tile } from '../../../functions/c2sp/tiles.ts';
import type { Mark } from '../../../functions/tlog/tlogTable.ts';

/** Bundles that are read at once. */
const READS = 32;

const textOf = (entryHash: Uint8Array): string => Buffer.from(entryHash).toString('latin1');

/** Values by entry hash. One map would be full with 16 million of them, so there is one for each first byte. */
export class EntryHashMap<Value> {
  readonly #maps = Array.from({ length: 256 }, () => new Map<string, Value>());

  get size(): number {
    return this.#maps.reduce((sum, { size }) => sum + size, 0);
  }

  get(entryHash: Uint8Array): Value | undefined {
    return this.#mapOf(entryHash).get(textOf(entryHash));
  }

  set(entryHash: Uint8Array, value: Value): void {
    this.#mapOf(entryHash).set(textOf(entryHash), value);
  }

  delete(entryHash: Uint8Array): void {
    this.#mapOf(entryHash).delete(textOf(entryHash));
  }

  #mapOf(entryHash: Uint8Array): Map<string, Value> {
    return this.#maps[entryHash[0] as number] as Map<string, Value>;
  }
}

/** Reads the entries of a bundle. @throws if there is no such bundle */
export type ReadEntries = (bundle: Tile) => Promise<readonly Uint8Array[]>;

/** Bundles next to each other: the index of the first, and that after the last. */
export type BundleRange = readonly [first: number, end: number];

/**
 * Returns the entry bundles of a log in three parts: those in which an entry is if it came in its turn, those after
 * them, and those before them.
 * @param marks what the log had come to at some sizes, oldest first: the marks of its head, or its hints
 * @param turn the time at which the entry was received, and that by which it is logged, in ms since 1970
 * @returns also `from`: the size of the log before the first entry of its time
 */
export function bundlesAround(marks: readonly Mark[], turn: { receivedAt: number; by: number }, size: number) {
  const from = marks.findLast(({ cursor }) => cursor <= turn.receivedAt)?.size ?? 0;
  const to = marks.find(({ cursor }) => cursor > turn.by)?.size ?? size;
  const first = Math.floor(from / TILE_WIDTH);
  const end = Math.max(first, Math.ceil(to / TILE_WIDTH));
  const inTurn: BundleRange = [first, end];
  const after: BundleRange = [end, Math.ceil(size / TILE_WIDTH)];
  const before: BundleRange = [0, first];
  return { from, inTurn, after, before };
}

/** Finds entries in a log, by reading its bundles. It keeps what it has read. */
export function entryFinder({ size }: Pick<Checkpoint, 'size'>, read: ReadEntries) {
  const indexes = new EntryHashMap<number[]>();
  const loads = new Map<number, Promise<void>>();
  const complete = new Set<number>();
  /** The number of bundles from the first on that are complete. */
  let whole = 0;
  const load = async (bundle: number): Promise<void> => {
    const start = bundle * TILE_WIDTH;
    const entries = await read({ level: 'entries', index: bundle, width: Math.min(TILE_WIDTH, size - start) });
    for (const [offset, entryHash] of entries.entries()) {
      const known = indexes.get(entryHash);
      if (known) known.push(start + offset);
      else indexes.set(entryHash, [start + offset]);
    }
    complete.add(bundle);
    while (complete.has(whole)) whole += 1;
  };
  const loadOnce = (bundle: number): Promise<void> => {
    const loading = loads.get(bundle) ?? load(bundle);
    loads.set(bundle, loading);
    return loading;
  };
  return {
    loaded: (): number => loads.size,

    /**
     * Reads bundles until it has found an entry. What was read for others does not count: it may be there twice, and
     * the same search must need the same files, for whoever saves them.
     * @param from the index before which it does not count
     * @returns its first index in these bundles; undefined if it is not there
     */
    async find(entryHash: Uint8Array, [first, end]: BundleRange, from = 0): Promise<number | undefined> {
      const start = Math.max(from, first * TILE_WIDTH);
      const firstBefore = (stop: number): number | undefined => {
        const found = indexes.get(entryHash)?.filter((index) => index >= start && index < stop) ?? [];
        return found.length > 0 ? Math.min(...found) : undefined;
      };
      const known = firstBefore(end * TILE_WIDTH);
      const last = known === undefined ? end : Math.floor(known / TILE_WIDTH) + READS;
      // All that it would read has been read: looking through it for each of a million entries would take hours.
      if (Math.min(end, last) <= whole) return known;
      for (let next = first; next < end; next += READS) {
        const length = Math.min(READS, end - next);
        const settled = await Promise.allSettled(Array.from({ length }, (_, at) => loadOnce(next + at)));
        // Of several bundles that cannot be read, always the first is named.
        for (const one of settled) if (one.status === 'rejected') throw one.reason;
        const found = firstBefore((next + length) * TILE_WIDTH);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}
