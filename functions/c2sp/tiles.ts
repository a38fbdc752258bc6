import { requireSize } from './treeSize.ts';

export const TILE_WIDTH = 256;

/** A tile: 256 hashes side by side, or fewer at the right edge of the tree. Level 0 holds the hashes of the entries. */
export interface Tile {
  /** `entries` is the bundle of the entries themselves, beside the tile of level 0. */
  readonly level: number | 'entries';
  readonly index: number;
  /** 1 to 256. */
  readonly width: number;
}

export type ReadTile = (tile: Tile) => Promise<Uint8Array>;

/**
 * Returns the path of a tile, such as `tile/0/x001/234`, or of width 5 `tile/0/x001/234.p/5`. Source: C2SP tlog-tiles.
 */
export function tilePath({ level, index, width }: Tile): string {
  requireSize(index, 'tile index');
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) as string[];
  const path = groups.map((group, position) => (position < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

/** Returns how many whole hashes a level has in a tree: each stands for 256^level entries. */
export function hashesAt(level: number, size: number): number {
  let count = size;
  for (let below = 0; below < level; below += 1) count = Math.floor(count / TILE_WIDTH);
  return count;
}

/** Returns the tile of a level that holds a hash, as wide as it is in a tree of this size. */
export function tileOf(level: number, position: number, size: number): Tile {
  const index = Math.floor(position / TILE_WIDTH);
  return { level, index, width: Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH) };
}

/** Returns the levels that a tree has tiles on, from 0. */
export function levelsOf(size: number): number[] {
  const levels: number[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) levels.push(level);
  return levels;
}

/** Returns the entry bundles that hold the entries from an index on, as wide as they are in a tree of this size. */
export function* bundlesFrom(index: number, size: number): Generator<Tile> {
  for (let bundle = Math.floor(index / TILE_WIDTH); bundle * TILE_WIDTH < size; bundle += 1) {
    yield { level: 'entries', index: bundle, width: Math.min(TILE_WIDTH, size - bundle * TILE_WIDTH) };
  }
}

const ENTRY_LIMIT_BYTES = 0xffff;

/** Returns an entry as a bundle has it: a big-endian uint16 of its length, its bytes. Source: C2SP tlog-tiles. */
export function bundledEntry(entry: Uint8Array): Buffer {
  if (entry.length > ENTRY_LIMIT_BYTES)
    throw new RangeError(`A log entry has at most ${ENTRY_LIMIT_BYTES} bytes, not ${entry.length}.`);
  const bytes = Buffer.alloc(2 + entry.length);
  bytes.writeUInt16BE(entry.length);
  bytes.set(entry, 2);
  return bytes;
}

/** Returns the entries of a bundle. @throws Error if it does not hold `width` entries, 1 to 256, or ends within one */
export function readBundle(bundle: Uint8Array, width: number): Buffer[] {
  const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.length);
  const entries: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + 2 > bytes.length) throw new Error('The entry bundle ends within the length of an entry.');
    const end = offset + 2 + bytes.readUInt16BE(offset);
    if (end > bytes.length) throw new Error('The entry bundle ends within an entry.');
    entries.push(bytes.subarray(offset + 2, end));
    offset = end;
  }
  if (width < 1 || width > TILE_WIDTH || entries.length !== width) {
    throw new Error(`The entry bundle holds ${entries.length} entries instead of ${width}.`);
  }
  return entries;
}
