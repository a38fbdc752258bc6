import { dirname, join } from 'node:path';
import { Failure } from '../../shell/terminal/failure.ts';
import { countOf, type Engine, memoryFor, openEngine, quoted } from '../../store/duckdb/duckdb.ts';
import {
  countRows,
  filesOf,
  type Kind,
  type Manifest,
  nameFiles,
  type RowStore,
  replaceFiles,
  type StoredFile,
} from './rowStore.ts';

export const readFiles = ({ folder }: RowStore, files: readonly StoredFile[]): string =>
  `read_parquet([${files.map(({ name }) => quoted(join(folder, name))).join(', ')}])`;

/** Stores the rows of a query as a file. @param folder begins with the kind of the file */
export const storeQuery = (engine: Engine, store: RowStore, folder: string, query: string) =>
  store.addBy(folder, async (path) => {
    await engine.run(`COPY (${query}) TO ${quoted(path)}
      (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 50000, ROW_GROUP_SIZE_BYTES '16MB')`);
    return countOf(engine, `read_parquet(${quoted(path)})`);
  });

/**
 * Makes the views `entries`, `texts` and `leaves` of the files that a manifest names.
 * @throws Failure if a file is not as it was written: a single bit could change a figure
 */
export async function openViews({ run }: Engine, store: RowStore, manifest: Manifest): Promise<void> {
  const damaged = await store.findDamaged(manifest.files);
  if (damaged.length > 0) {
    const message = `Files of the rows are damaged or gone: ${nameFiles(damaged)}.`;
    throw new Failure('negative', message, { advice: 'ailog data sync makes them again.' });
  }
  for (const kind of ['entries', 'texts', 'leaves'] satisfies Kind[]) {
    await run(`CREATE OR REPLACE VIEW ${kind} AS SELECT * FROM ${readFiles(store, filesOf(manifest, kind))}`);
  }
}

/** Returns the query of the leaders of near-duplicates that are stored; undefined: none are. */
export function storedLeaders(store: RowStore, manifest: Manifest): string | undefined {
  const files = filesOf(manifest, 'near');
  return files.length === 0 ? undefined : `SELECT * FROM ${readFiles(store, files)}`;
}

/** Opens an engine on the files of a store, see `openViews`. */
export async function openTables(store: RowStore, manifest: Manifest, memory?: number): Promise<Engine> {
  const engine = await openEngine({ folder: store.folder, memory: memory ?? memoryFor(countRows(manifest)) });
  await openViews(engine, store, manifest).catch((error) => {
    engine.close();
    throw error;
  });
  return engine;
}

/** The number of files that a day, or the leaves, may have while more come every minute. */
const OPEN_FILES = 48;

/** The most rows of a file that is made of others: sorting more could take more memory than there is. */
const FILE_ROWS = 500_000;

/** The time after which a day counts as closed, in milliseconds: what the index shows late has come by then. */
const CLOSED_MS = 3_600_000;

const endOf = (folder: string): number => Date.parse(folder.split('=')[1] ?? '') + 86_400_000;

/** Returns how the rows of a folder are sorted. Texts are not: sorting them would take the memory of all. */
const orderIn = (folder: string): string =>
  folder === 'leaves' ? ' ORDER BY index' : folder.startsWith('texts') ? '' : ' ORDER BY uid, entry_id';

/**
 * Returns the files that become one each. Those that are nearly full stay, so that no row is written again and again.
 */
function batchesOf(files: readonly StoredFile[]): StoredFile[][] {
  const batches: StoredFile[][] = [];
  let rows = FILE_ROWS;
  for (const file of files) {
    if (file.rows > FILE_ROWS / 2) continue;
    rows += file.rows;
    if (rows > FILE_ROWS) {
      batches.push([]);
      rows = file.rows;
    }
    batches.at(-1)?.push(file);
  }
  return batches.filter(({ length }) => length > 1);
}

/**
 * Makes larger files of those of each closed day, and of too many files of the same folder.
 * @param now milliseconds since 1970
 */
export async function compactFiles(engine: Engine, store: RowStore, manifest: Manifest, now: number) {
  let compacted = manifest;
  const folders = Object.groupBy(manifest.files, ({ name }) => dirname(name));
  for (const [folder, files = []] of Object.entries(folders)) {
    if (files.length <= (now - endOf(folder) > CLOSED_MS ? 1 : OPEN_FILES)) continue;
    for (const batch of batchesOf(files)) {
      const query = `SELECT * FROM ${readFiles(store, batch)}${orderIn(folder)}`;
      const file = await storeQuery(engine, store, folder, query);
      compacted = replaceFiles(compacted, batch, [file], now);
    }
  }
  return compacted;
}
