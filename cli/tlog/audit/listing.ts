import { CHECKPOINT, checkpointPath, stagingPath } from '../../../functions/sequencer/storage.ts';
import { HASH_BYTES } from '../../../functions/tlog/hashing.ts';
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

/** The meaning of a path in a log. */
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

/** Staged batches, in memory that is small: a log can have one for each checkpoint. */
export interface StagedBatches {
  /** The sizes at which the batches begin, in ascending order. */
  readonly starts: readonly number[];
  /** The sizes at which they end, in ascending order. */
  readonly ends: readonly number[];
  /** Returns the batch whose start has this position in `starts`. */
  readonly at: (position: number) => StagedBatch;
}

/**
 * The files of a log, sorted by what they stand for. Full tiles and bundles are counted only. What a checkpoint adds takes
 * about 80 bytes.
 */
export interface Listing {
  /** The sizes of the checkpoints in `checkpoints/`, in ascending order. */
  readonly sizes: readonly number[];
  readonly staged: StagedBatches;
  /** Partial tiles by level: 256 times the index, plus the width, in ascending order. */
  readonly partials: ReadonlyMap<Tile['level'], readonly number[]>;
  /** The number of tiles and staged batches that are only part of a larger tree, and one of them. */
  readonly beyond: { readonly count: number; readonly example: string | undefined };
  readonly files: number;
}

/** Returns the number of hashes or entries up to the end of a tile. */
const endOf = ({ index, width }: Tile): number => index * TILE_WIDTH + width;

/** Returns whether a file is a tile or a staged batch of a larger tree than that of a size. */
function isBeyond(file: LogFile | undefined, size: number): boolean {
  if (file?.is === 'staging') return file.batch.fromSize > size;
  if (file?.is !== 'tile') return false;
  const { level } = file.tile;
  return endOf(file.tile) > hashesAt(level === 'entries' ? 0 : level, size);
}

/** Yields the tiles and staged batches that are only part of a larger tree than that of a size. */
export function* beyondSize(paths: Iterable<string>, size: number): Generator<string> {
  for (const path of paths) if (isBeyond(parsePath(path), size)) yield path;
}

/** Returns whether a path is that of the newest checkpoint, or of a file that a local run had not finished. */
const isOther = (path: string): boolean => path === CHECKPOINT || path.startsWith('.unfinished/');

/** Yields the files that a log does not have. */
export function* straysIn(paths: Iterable<string>): Generator<string> {
  for (const path of paths) if (!isOther(path) && !parsePath(path)) yield path;
}

/** Yields the files with entries that a reconciliation found missing. The name of each has the hash of its content. */
export function* missingIn(paths: Iterable<string>): Generator<{ readonly path: string; readonly sha256: string }> {
  for (const path of paths) {
    const file = parsePath(path);
    if (file?.is === 'missing') yield { path, sha256: file.sha256 };
  }
}

const ascending = (one: number, other: number) => one - other;

/** Collects staged batches. */
function collectBatches() {
  const [starts, ends]: [number[], number[]] = [[], []];
  let roots = Buffer.alloc(0);
  return {
    add({ fromSize, size, root }: StagedBatch): void {
      const at = starts.length * HASH_BYTES;
      if (at === roots.length) roots = Buffer.concat([roots], Math.max(HASH_BYTES, 2 * roots.length));
      roots.set(root, at);
      starts.push(fromSize);
      ends.push(size);
    },
    sorted(): StagedBatches {
      const order = Uint32Array.from(starts.keys()).sort(
        (one, other) => (starts[one] as number) - (starts[other] as number) || one - other,
      );
      return {
        starts: starts.toSorted(ascending),
        ends: ends.toSorted(ascending),
        at(position) {
          const one = order[position] as number;
          const root = roots.subarray(one * HASH_BYTES, (one + 1) * HASH_BYTES);
          const batch = { fromSize: starts[one] as number, size: ends[one] as number, root };
          return { path: stagingPath(batch), ...batch };
        },
      };
    },
  };
}

/**
 * Sorts the files of a log.
 * @param size the number of leaves of the tree that is audited
 */
export function sortListing(paths: Iterable<string>, size: number): Listing {
  const sizes: number[] = [];
  const staged = collectBatches();
  const partials = new Map<Tile['level'], number[]>();
  let beyond: Listing['beyond'] = { count: 0, example: undefined };
  let files = 0;
  for (const path of paths) {
    files += 1;
    const file = parsePath(path);
    if (isBeyond(file, size)) beyond = { count: beyond.count + 1, example: beyond.example ?? path };
    else if (file?.is === 'checkpoint') sizes.push(file.size);
    else if (file?.is === 'staging') staged.add(file.batch);
    else if (file?.is === 'tile' && file.tile.width < TILE_WIDTH) {
      const level = partials.get(file.tile.level) ?? [];
      partials.set(file.tile.level, level);
      level.push(endOf(file.tile));
    }
  }
  for (const level of partials.values()) level.sort(ascending);
  return { sizes: sizes.sort(ascending), staged: staged.sorted(), partials, beyond, files };
}

/** Yields the batches that begin at a size. */
export function* batchesFrom({ starts, at }: StagedBatches, fromSize: number): Generator<StagedBatch> {
  for (let position = positionFrom(starts, fromSize); starts[position] === fromSize; position += 1) yield at(position);
}

/** Yields the partial tiles of a level. @param index only those of this index */
export function* partialsOf({ partials }: Listing, level: Tile['level'], index?: number): Generator<Tile> {
  const ends = partials.get(level) ?? [];
  let position = index === undefined ? 0 : positionFrom(ends, index * TILE_WIDTH);
  for (; position < ends.length; position += 1) {
    const end = ends[position] as number;
    const tile = { level, index: Math.floor(end / TILE_WIDTH), width: end % TILE_WIDTH };
    if (index !== undefined && tile.index !== index) return;
    yield tile;
  }
}

/** Returns whether a partial tile is there. */
export const hasPartial = ({ partials }: Listing, tile: Tile): boolean =>
  includes(partials.get(tile.level) ?? [], endOf(tile));

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
