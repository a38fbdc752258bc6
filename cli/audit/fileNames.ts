import { TILE_WIDTH, tilePath } from '../../functions/c2sp/tiles.ts';
import { checkpointPath } from '../../functions/tlog/paths.ts';
import type { Engine } from '../analysis/engine.ts';
import type { FindingKind, Report } from './findings.ts';
import { BUNDLES } from './listFiles.ts';

/**
 * Compares the names of the files with each other: what a checkpoint, a staged batch or a partial tile needs.
 * @param log `size`: that of the newest checkpoint; `reached`: the number of leaves up to which files were checked;
 * `isCopy`: C2SP lets a copy leave out old partial tiles, and what is not a tile
 * @returns the files that a copy may leave out
 */
export async function compareNames(
  engine: Engine,
  { size, reached, isCopy, report }: { size: number; reached: number; isCopy: boolean; report: Report },
): Promise<string[]> {
  const absent: string[] = [];
  const missing = (kind: FindingKind, path: string, problem = `${path} is missing.`) => {
    if (isCopy) absent.push(kind === 'staging' ? `the staged batch of ${path}` : path);
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
    const [index, width] = [Math.floor(hashes / TILE_WIDTH), hashes % TILE_WIDTH];
    const path = tilePath({ level: level === BUNDLES ? 'entries' : level, index, width });
    const kind = level === BUNDLES ? 'bundle' : 'tile';
    if (isNewest) report({ kind, path, problem: `${path} is missing.` });
    else missing(kind, path);
  }
  for await (const { path } of engine.read<{ path: string }>(
    `SELECT path FROM file f ANTI JOIN needed n ON f.level = n.level AND f.hashes = n.hashes
     WHERE NOT ${isCopy} AND kind = 'tile' AND hashes % ${TILE_WIDTH} > 0 AND position <= ${size} ORDER BY path`,
  ))
    report({ kind: 'file', path, problem: `${path} belongs to no checkpoint.` });
  for await (const { position, by } of engine.read<{ position: number; by: string }>(
    `SELECT s.position, min(s.path) AS "by"
     FROM (SELECT position, path FROM file WHERE kind = 'staging' UNION ALL SELECT ${size}, 'checkpoint') s
     ANTI JOIN file c ON c.kind = 'checkpoint' AND c.position = s.position
     WHERE s.position BETWEEN 1 AND ${size} GROUP BY ALL ORDER BY ALL`,
  ))
    missing('checkpoint', checkpointPath(position), `${checkpointPath(position)} is missing: ${by} belongs to it.`);
  for await (const { path } of engine.read<{ path: string }>(
    `SELECT path FROM file f ANTI JOIN claimed c ON c.position = f.position
     WHERE kind = 'checkpoint' AND f.position BETWEEN 1 AND ${reached} ORDER BY f.position`,
  ))
    missing('staging', path, `No staged batch leads to ${path}.`);
  return absent;
}
