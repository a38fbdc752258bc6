import { TILE_WIDTH, type Tile, tilePath } from '../../functions/c2sp/tiles.ts';
import { parseSize } from '../../functions/c2sp/treeSize.ts';
import { checkpointPath, missingEntriesPath, stagingPath } from '../../functions/tlog/paths.ts';
import type { StagedBatch } from './stagedBatches.ts';

/** The meaning of a path in a log. */
export type TlogFile =
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
export function parsePath(path: string): TlogFile | undefined {
  const tile = tileIn(path);
  if (tile)
    return tile.width > 0 && tile.width <= TILE_WIDTH && tilePath(tile) === path ? { is: 'tile', tile } : undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const size = sizeIn(name);
  if (size !== undefined) return checkpointPath(size) === path ? { is: 'checkpoint', size } : undefined;
  const [, sha256] = /-([0-9a-f]{64})$/.exec(name) ?? [];
  if (sha256 === undefined) return undefined;
  if (missingEntriesPath(sha256) === path) return { is: 'missing', sha256 };
  const [from, to] = name.split('-').map(sizeIn);
  if (from === undefined || to === undefined || from >= to) return undefined;
  const batch = { path, fromSize: from, size: to, root: Buffer.from(sha256, 'hex') };
  return stagingPath(batch) === path ? { is: 'staging', batch } : undefined;
}
