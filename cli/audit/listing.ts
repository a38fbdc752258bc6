import { hashesAt, TILE_WIDTH, type Tile } from '../../functions/c2sp/tiles.ts';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import { UNFINISHED } from '../target/tlogFiles.ts';
import { ascending, includes, positionFrom } from '../text/numbers.ts';
import { parsePath, type TlogFile } from './logPath.ts';
import { collectBatches, type StagedBatches } from './stagedBatches.ts';

/**
 * The files of a log, sorted by what they stand for. Full tiles and bundles are counted only. What a checkpoint adds
 * takes about 80 bytes.
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

/** Returns true if a file is a tile or a staged batch of a larger tree than that of a size. */
function isBeyond(file: TlogFile | undefined, size: number): boolean {
  if (file?.is === 'staging') return file.batch.fromSize > size;
  if (file?.is !== 'tile') return false;
  const { level } = file.tile;
  return endOf(file.tile) > hashesAt(level === 'entries' ? 0 : level, size);
}

/** Yields the tiles and staged batches that are only part of a larger tree than that of a size. */
export function* beyondSize(paths: Iterable<string>, size: number): Generator<string> {
  for (const path of paths) if (isBeyond(parsePath(path), size)) yield path;
}

/** Returns true if a path is that of the newest checkpoint, or of a file that a local run had not finished. */
const isOther = (path: string): boolean => path === CHECKPOINT || path.startsWith(`${UNFINISHED}/`);

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

/** Returns true if a partial tile is there. */
export const hasPartial = ({ partials }: Listing, tile: Tile): boolean =>
  includes(partials.get(tile.level) ?? [], endOf(tile));

/**
 * Returns the least size of the trees in which a tile has this width at the right edge, and that of the first larger
 * tree in which it does not.
 */
export function sizesOf(tile: Tile): readonly [from: number, until: number] {
  const leaves = tile.level === 'entries' ? 1 : TILE_WIDTH ** tile.level;
  return [endOf(tile) * leaves, (endOf(tile) + 1) * leaves];
}
