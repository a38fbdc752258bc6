import { TILE_WIDTH, type Tile, tilePath } from '../../../functions/c2sp/tiles.ts';
import { parseSize, requireSize } from '../../../functions/c2sp/treeSize.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { CHECKPOINT, checkpointPath, cosignedPath } from '../../../functions/tlog/paths.ts';
import type { Engine } from '../../store/duckdb/duckdb.ts';
import { UNFINISHED } from '../../store/targets/tlogFiles.ts';
import type { Audit } from './auditData.ts';
import type { FindingKind, Report } from './findings.ts';

/** A file of a log, with the number of leaves at which its content can be checked. */
export type TlogFile =
  | { readonly kind: 'checkpoint' | 'cosigned'; readonly position: number }
  | { readonly kind: 'tile'; readonly position: number; readonly tile: Tile }
  /**
   * A file that proves nothing by itself: the newest checkpoint, hints, a batch that was staged before it was
   * published, or what a local run has not finished.
   */
  | { readonly kind: 'other'; readonly position: 0 };

const OTHER = /^(hints\/\d{4}-\d\d-\d\d|staging\/(0|[1-9]\d*)-[1-9]\d*-[0-9a-f]{64})$/;

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
    requireSize(position);
    return [{ kind: 'tile', tile, position }, tilePath(tile)];
  }
  const position = parseSize(path.slice(path.lastIndexOf('/') + 1));
  return path.startsWith('cosigned')
    ? [{ kind: 'cosigned', position }, cosignedPath(position)]
    : [{ kind: 'checkpoint', position }, checkpointPath(position)];
}

/** Returns what a path stands for; undefined if a log has no such file. */
export function parsePath(path: string): TlogFile | undefined {
  if (path === CHECKPOINT || path.startsWith(`${UNFINISHED}/`) || OTHER.test(path))
    return { kind: 'other', position: 0 };
  // It throws on a number that is not written as the log writes numbers.
  const [file, right] = orUndefined(() => guess(path)) ?? [];
  return right === path ? file : undefined;
}

/** The level that stands for entry bundles in the table `file`. */
export const BUNDLES = -1;

/** A check of a file at a number of leaves. */
export interface FileCheck {
  readonly check: 'tile' | 'checkpoint' | 'cosigned' | 'previous';
  readonly path: string;
  readonly position: number;
  readonly root: Uint8Array | null;
  /** The level of a tile, and how many hashes or entries are up to its end. */
  readonly level: number | null;
  readonly hashes: number | null;
}

/**
 * Puts the files of a log into the table `file`. Reports those that a log does not have.
 * @returns their number, and the time of the newest checkpoint
 */
export async function listFiles({ terminal, files, data, report }: Audit) {
  const progress = terminal.progress(undefined, 'listing the files of the log');
  let listed = 0;
  let newestAt: number | undefined;
  for await (const { path, storedAt } of files.list('')) {
    listed += 1;
    progress.advance(1, `${listed} files of the log listed`);
    if (path === CHECKPOINT) newestAt = storedAt;
    const file = parsePath(path);
    if (!file) report({ kind: 'file', path, problem: `${path.replaceAll('\n', '\\n')} is not a file of a log.` });
    else if (file.kind !== 'other') {
      const { kind, position } = file;
      const { level, index, width } = file.kind === 'tile' ? file.tile : { level: null, index: 0, width: 0 };
      const tile = { level: level === 'entries' ? BUNDLES : level, hashes: index * TILE_WIDTH + width };
      await data.file({ path, kind, position, stored_at: storedAt, ...tile });
    }
  }
  progress.stop(`${listed} files of the log listed`);
  return { listed, newestAt };
}

/** Yields the checks of files up to a size, in the order of their positions. Full tiles are read with the entries. */
export const checksOf = (engine: Engine, size: number): AsyncIterable<FileCheck> =>
  engine.read<FileCheck>(
    `SELECT * FROM (
       SELECT kind AS "check", path, position, NULL AS root, level, hashes FROM file WHERE kind <> 'tile' OR hashes % ${TILE_WIDTH} > 0
       UNION ALL SELECT 'previous', path, position, root, NULL, NULL FROM kept
     ) WHERE position <= ${size} ORDER BY position, path`,
  );

/**
 * Compares the names of the files with each other: what a checkpoint or a partial tile needs.
 * @param log `size`: that of the newest checkpoint; `isCopy`: C2SP lets a copy leave out old partial tiles, and what is
 * not a tile
 * @returns the files that a copy may leave out
 */
export async function compareNames(
  engine: Engine,
  { size, isCopy, report }: { size: number; isCopy: boolean; report: Report },
): Promise<string[]> {
  const absent: string[] = [];
  const missing = (kind: FindingKind, path: string, problem = `${path} is missing.`) => {
    if (isCopy) absent.push(path);
    else report({ kind, path, problem });
  };
  await engine.run(`
    CREATE TABLE tree AS SELECT position AS size FROM file WHERE kind = 'checkpoint' AND position <= ${size} UNION SELECT ${size};
    -- The partial tiles of all trees. A tile above level 0 is often that of several.
    CREATE TABLE needed AS
    SELECT level, size // span AS hashes, max(size) = ${size} AS "isNewest"
    FROM tree, (SELECT level, (${TILE_WIDTH} ** greatest(level, 0))::BIGINT AS span FROM range(${BUNDLES}, 7) levels(level))
    WHERE size // span % ${TILE_WIDTH} > 0 GROUP BY ALL;`);

  // Those at the right edge of the newest tree were read.
  for await (const { level, hashes, isNewest } of engine.read<{ level: number; hashes: number; isNewest: boolean }>(
    `SELECT n.* FROM needed n ANTI JOIN file f ON f.kind = 'tile' AND f.level = n.level AND f.hashes = n.hashes
     WHERE n.level > 0 OR NOT "isNewest" ORDER BY ALL`,
  )) {
    const tile = { index: Math.floor(hashes / TILE_WIDTH), width: hashes % TILE_WIDTH };
    const path = tilePath({ ...tile, level: level === BUNDLES ? 'entries' : level });
    const kind = level === BUNDLES ? 'bundle' : 'tile';
    if (isNewest) report({ kind, path, problem: `${path} is missing.` });
    else missing(kind, path);
  }
  for await (const { path } of engine.read<{ path: string }>(
    `SELECT path FROM file f ANTI JOIN needed n ON f.level = n.level AND f.hashes = n.hashes
     WHERE NOT ${isCopy} AND kind = 'tile' AND level <> ${BUNDLES} AND hashes % ${TILE_WIDTH} > 0 AND position <= ${size} ORDER BY path`,
  ))
    report({ kind: 'file', path, problem: `${path} belongs to no checkpoint.` });
  // The partial bundles tell the sizes of trees too.
  for await (const { position, by } of engine.read<{ position: number; by: string }>(
    `SELECT s.position, min(s.path) AS "by"
     FROM (
       SELECT position, path FROM file WHERE kind = 'tile' AND level = ${BUNDLES} AND hashes % ${TILE_WIDTH} > 0
       UNION ALL SELECT ${size}, '${CHECKPOINT}'
     ) s
     ANTI JOIN file c ON c.kind = 'checkpoint' AND c.position = s.position
     WHERE s.position BETWEEN 1 AND ${size} GROUP BY ALL ORDER BY ALL`,
  )) {
    missing('checkpoint', checkpointPath(position), `${checkpointPath(position)} is missing: ${by} belongs to it.`);
  }
  return absent;
}
