import { TILE_WIDTH } from '../../functions/c2sp/tiles.ts';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import type { Engine } from '../analysis/engine.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { AuditData } from './auditData.ts';
import type { Report } from './findings.ts';
import { parsePath } from './tlogFile.ts';

/** The level that stands for entry bundles in the table `file`. */
export const BUNDLES = -1;

/** A check of a file at a number of leaves. A staged batch is checked where it begins, and where it ends. */
export interface FileCheck {
  readonly check: 'tile' | 'claim' | 'checkpoint' | 'cosigned' | 'previous' | 'staging';
  readonly path: string;
  readonly position: number;
  /** The number of leaves after a staged batch, and the root in its name, or that of a kept checkpoint. */
  readonly ends: number | null;
  readonly root: Uint8Array | null;
  /** The level of a tile, and how many hashes or entries are up to its end. */
  readonly level: number | null;
  readonly hashes: number | null;
}

/**
 * Puts the files of a log into the table `file`. Reports those that a log does not have.
 * @returns their number, and the time of the newest checkpoint
 */
export async function listFiles(terminal: Terminal, files: TlogFiles, data: AuditData, report: Report) {
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
      const batch = file.kind === 'staging' ? { ends: file.end, root: file.root } : {};
      const { level, index, width } = file.kind === 'tile' ? file.tile : { level: null, index: 0, width: 0 };
      const tile = { level: level === 'entries' ? BUNDLES : level, hashes: index * TILE_WIDTH + width };
      await data.file({ path, kind, position, stored_at: storedAt, ...batch, ...tile });
    }
  }
  progress.stop(`${listed} files of the log listed`);
  return { listed, newestAt };
}

/** Yields the checks of files up to a size, in the order of their positions. Full tiles are read with the entries. */
export const checksOf = (engine: Engine, size: number): AsyncIterable<FileCheck> =>
  engine.read<FileCheck>(
    `SELECT * FROM (
       SELECT kind AS "check", path, position, ends, root, level, hashes FROM file WHERE kind <> 'tile' OR hashes % ${TILE_WIDTH} > 0
       UNION ALL SELECT 'claim', path, ends, ends, root, NULL, NULL FROM file WHERE kind = 'staging'
       UNION ALL SELECT 'previous', path, position, NULL, root, NULL, NULL FROM kept
     ) WHERE position <= ${size} ORDER BY position, path`,
  );
