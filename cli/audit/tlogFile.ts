import { TILE_WIDTH, type Tile, tilePath } from '../../functions/c2sp/tiles.ts';
import { parseSize } from '../../functions/c2sp/treeSize.ts';
import { CHECKPOINT, checkpointPath, cosignedPath, stagingPath } from '../../functions/tlog/paths.ts';
import { UNFINISHED } from '../target/tlogFiles.ts';

/** A file of a log, with the number of leaves at which its content can be checked. */
export type TlogFile =
  | { readonly kind: 'checkpoint' | 'cosigned'; readonly position: number }
  | { readonly kind: 'tile'; readonly position: number; readonly tile: Tile }
  /** A staged batch: the entry hashes from `position` to `end`, and the root after them. */
  | { readonly kind: 'staging'; readonly position: number; readonly end: number; readonly root: Uint8Array }
  /** A file that proves nothing by itself: the newest checkpoint, hints, or what a local run has not finished. */
  | { readonly kind: 'other'; readonly position: 0 };

const TILE = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Returns what a path seems to stand for, and the path that this has. */
function guess(path: string): readonly [TlogFile, string] | undefined {
  const [, level, index, width = String(TILE_WIDTH)] = TILE.exec(path) ?? [];
  if (level !== undefined && index !== undefined) {
    const tile: Tile = {
      level: level === 'entries' ? level : Number(level),
      index: Number(index.replaceAll(/[x/]/g, '')),
      width: Number(width),
    };
    if (tile.width === 0 || tile.width > TILE_WIDTH) return undefined;
    const position = (tile.index * TILE_WIDTH + tile.width) * TILE_WIDTH ** (level === 'entries' ? 0 : Number(level));
    return [{ kind: 'tile', tile, position }, tilePath(tile)];
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [, from, to, hex] = /^(\d+)-(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
  if (from !== undefined && to !== undefined && hex !== undefined) {
    const [position, end, root] = [parseSize(from), parseSize(to), Buffer.from(hex, 'hex')];
    if (position >= end) return undefined;
    return [{ kind: 'staging', position, end, root }, stagingPath({ fromSize: position, size: end, root })];
  }
  const position = parseSize(name);
  return path.startsWith('cosigned')
    ? [{ kind: 'cosigned', position }, cosignedPath(position)]
    : [{ kind: 'checkpoint', position }, checkpointPath(position)];
}

/** Returns what a path stands for; undefined if a log has no such file. */
export function parsePath(path: string): TlogFile | undefined {
  const isOther = path === CHECKPOINT || path.startsWith(`${UNFINISHED}/`) || /^hints\/\d{4}-\d\d-\d\d$/.test(path);
  if (isOther) return { kind: 'other', position: 0 };
  try {
    const [file, right] = guess(path) ?? [];
    return right === path ? file : undefined;
  } catch {
    // A number that is not written as the log writes numbers.
    return undefined;
  }
}
