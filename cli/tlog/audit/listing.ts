import { CHECKPOINT, checkpointPath, stagingPath } from '../../../functions/sequencer/storage.ts';
import { hashesAt, TILE_WIDTH, type Tile, tilePath } from '../../../functions/tlog/tiles.ts';
import { parseSize } from '../../../functions/tlog/treeSize.ts';

/** A staged batch of entries. */
export interface StagedBatch {
  readonly path: string;
  readonly fromSize: number;
  readonly size: number;
  /** The root after the batch, 32 bytes. */
  readonly root: Uint8Array;
}

/** What a path stands for in a log. */
type LogFile =
  | { readonly is: 'checkpoint'; readonly size: number }
  | { readonly is: 'tile'; readonly tile: Tile }
  | { readonly is: 'staging'; readonly batch: StagedBatch }
  | { readonly is: 'missing'; readonly sha256: string };

/** Returns the number in a text; undefined if it is not written as the log writes numbers. */
function sizeIn(text: string | undefined): number | undefined {
  try {
    return parseSize(text ?? '');
  } catch {
    return undefined;
  }
}

/** Returns the tile of a path, whether it is the right path or not. */
function tileIn(path: string): Tile | undefined {
  const [, level, index, width] = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  if (level === undefined || index === undefined) return undefined;
  return {
    level: level === 'entries' ? level : Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
}

/** Returns what a path stands for; undefined if the log has no such file. */
export function parsePath(path: string): LogFile | undefined {
  const tile = tileIn(path);
  if (tile)
    return tile.width > 0 && tile.width <= TILE_WIDTH && tilePath(tile) === path ? { is: 'tile', tile } : undefined;
  const size = sizeIn(/^checkpoints\/(.*)$/.exec(path)?.[1]);
  if (size !== undefined) return checkpointPath(size) === path ? { is: 'checkpoint', size } : undefined;
  const [, sha256] = /^staging\/missing-([0-9a-f]{64})$/.exec(path) ?? [];
  if (sha256 !== undefined) return { is: 'missing', sha256 };
  const [, from, to, root = ''] = /^staging\/(\d+)-(\d+)-([0-9a-f]{64})$/.exec(path) ?? [];
  const [fromSize, toSize] = [sizeIn(from), sizeIn(to)];
  if (fromSize === undefined || toSize === undefined || fromSize >= toSize) return undefined;
  const batch = { path, fromSize, size: toSize, root: Buffer.from(root, 'hex') };
  return stagingPath(batch) === path ? { is: 'staging', batch } : undefined;
}

/** The files of a log, sorted by what they stand for. */
export interface Listing {
  /** The sizes of the checkpoints in `checkpoints/`, in ascending order. */
  readonly sizes: readonly number[];
  readonly staged: readonly StagedBatch[];
  /** Files with entries that a reconciliation found missing. The name of each has the hash of its content. */
  readonly missing: readonly { readonly path: string; readonly sha256: string }[];
  /** The widths of partial tiles by level and index. */
  readonly partials: ReadonlyMap<Tile['level'], ReadonlyMap<number, readonly number[]>>;
  /** Files that the log does not have. */
  readonly strays: readonly string[];
  /** Tiles and staged batches that are only part of a larger tree. */
  readonly beyond: readonly string[];
  readonly files: number;
}

/** Returns the number of hashes or entries up to the end of a tile. */
const endOf = ({ index, width }: Tile): number => index * TILE_WIDTH + width;

/**
 * Sorts the files of a log.
 * @param size the number of leaves of the tree that is audited
 */
export function sortListing(paths: Iterable<string>, size: number): Listing {
  const sizes: number[] = [];
  const staged: StagedBatch[] = [];
  const missing: { path: string; sha256: string }[] = [];
  const partials = new Map<Tile['level'], Map<number, number[]>>();
  const strays: string[] = [];
  const beyond: string[] = [];
  let files = 0;
  for (const path of paths) {
    files += 1;
    // What a local run was writing when it was killed; no file of the log.
    if (path === CHECKPOINT || path.startsWith('.unfinished/')) continue;
    const file = parsePath(path);
    if (!file) strays.push(path);
    else if (file.is === 'checkpoint') sizes.push(file.size);
    else if (file.is === 'missing') missing.push({ path, sha256: file.sha256 });
    else if (file.is === 'staging') {
      if (file.batch.fromSize > size) beyond.push(path);
      else staged.push(file.batch);
    } else {
      const { tile } = file;
      if (endOf(tile) > hashesAt(tile.level === 'entries' ? 0 : tile.level, size)) beyond.push(path);
      else if (tile.width < TILE_WIDTH) {
        const level = partials.get(tile.level) ?? new Map<number, number[]>();
        partials.set(tile.level, level);
        level.set(tile.index, [...(level.get(tile.index) ?? []), tile.width]);
      }
    }
  }
  const ascending = (one: number, other: number) => one - other;
  return {
    sizes: sizes.sort(ascending),
    staged: staged.sort((one, other) => one.fromSize - other.fromSize),
    missing,
    partials,
    strays,
    beyond,
    files,
  };
}

/** Returns the position of the first of ascending numbers that is at least `least`. */
export function positionFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((numbers[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns whether ascending numbers include one. */
export const includes = (numbers: readonly number[], wanted: number): boolean =>
  numbers[positionFrom(numbers, wanted)] === wanted;

/**
 * Returns the least size of the trees in which a tile has this width at the right edge, and that of the first larger
 * tree in which it does not.
 */
export function sizesOf(tile: Tile): readonly [from: number, until: number] {
  const leaves = tile.level === 'entries' ? 1 : TILE_WIDTH ** tile.level;
  return [endOf(tile) * leaves, (endOf(tile) + 1) * leaves];
}
