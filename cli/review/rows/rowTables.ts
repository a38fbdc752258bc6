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

/** @throws Failure if a file is not as it was written: a single bit could change a figure */
export async function requireWhole(store: RowStore, files: readonly StoredFile[]): Promise<void> {
  const damaged = await store.findDamaged(files);
  if (damaged.length === 0) return;
  const message = `Files of the rows are damaged or gone: ${nameFiles(damaged)}.`;
  throw new Failure('negative', message, { advice: 'ailog data sync --whole makes them again.' });
}

/** Returns the SQL that reads files of a store. @throws Failure, see `requireWhole` */
export async function readFiles(store: RowStore, files: readonly StoredFile[]): Promise<string> {
  await requireWhole(store, files);
  return `read_parquet([${files.map(({ name }) => quoted(join(store.folder, name))).join(', ')}])`;
}

/** Stores the rows of a query as a file. @param folder begins with the kind of the file */
export const storeQuery = (engine: Engine, store: RowStore, folder: string, query: string) =>
  store.addBy(folder, async (path) => {
    await engine.run(`COPY (${query}) TO ${quoted(path)}
      (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 50000, ROW_GROUP_SIZE_BYTES '16MB')`);
    return countOf(engine, `read_parquet(${quoted(path)})`);
  });

/** Makes the views `entries`, `texts` and `leaves` of a manifest when they are first read, see `readFiles`. */
export async function openViews({ view }: Engine, store: RowStore, manifest: Manifest): Promise<void> {
  for (const kind of ['entries', 'texts', 'leaves'] satisfies Kind[])
    await view(kind, async () => `SELECT * FROM ${await readFiles(store, filesOf(manifest, kind))}`);
}

/** Returns the query of the leaders of near-duplicates that are stored; undefined: none are. */
export async function storedLeaders(store: RowStore, manifest: Manifest): Promise<string | undefined> {
  const files = filesOf(manifest, 'near');
  return files.length === 0 ? undefined : `SELECT * FROM ${await readFiles(store, files)}`;
}

/** Opens an engine on the files of a store, see `openViews`. */
export async function openTables(store: RowStore, manifest: Manifest, memory?: number): Promise<Engine> {
  const engine = await openEngine({ folder: store.folder, memory: memory ?? memoryFor(countRows(manifest)) });
  await openViews(engine, store, manifest);
  return engine;
}

/** The number of files that a day, or the leaves, may have while more come every minute. */
const OPEN_FILES = 48;

/** The most rows of a file that is made of others: sorting more could take more memory than there is. */
const FILE_ROWS = 500_000;

/** The time after which a day counts as closed, in milliseconds: what the index shows late has come by then. */
const CLOSED_MS = 3_600_000;

/** Returns when the day of a file ends, in milliseconds since 1970; NaN: it is of no day. */
export const dayEndOf = ({ name }: Pick<StoredFile, 'name'>): number =>
  Date.parse(dirname(name).split('=')[1] ?? '') + 86_400_000;

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

/** Returns the batches of each folder with more files than it may have. */
function findBatches(files: readonly StoredFile[], mayHave: (file: StoredFile) => number) {
  const folders = [...Map.groupBy(files, ({ name }) => dirname(name))];
  return folders.flatMap(([folder, inFolder]) =>
    inFolder.length <= mayHave(inFolder[0] as StoredFile)
      ? []
      : batchesOf(inFolder).map((batch) => ({ folder, batch })),
  );
}

async function mergeFiles(
  engine: Engine,
  store: RowStore,
  manifest: Manifest,
  { batches, now }: { batches: ReturnType<typeof findBatches>; now: number },
): Promise<Manifest> {
  let merged = manifest;
  for (const { folder, batch } of batches) {
    const query = `SELECT * FROM ${await readFiles(store, batch)}${orderIn(folder)}`;
    merged = replaceFiles(merged, batch, [await storeQuery(engine, store, folder, query)], now);
  }
  return merged;
}

/**
 * Makes larger files of those of each closed day, and of too many files of the same folder.
 * @param now milliseconds since 1970
 */
export function compactFiles(engine: Engine, store: RowStore, manifest: Manifest, now: number): Promise<Manifest> {
  const mayHave = (file: StoredFile) => (now - dayEndOf(file) > CLOSED_MS ? 1 : OPEN_FILES);
  return mergeFiles(engine, store, manifest, { batches: findBatches(manifest.files, mayHave), now });
}

/** A file with this many rows waits for the end of the first sync, so that no row is written more than twice. */
const WAITING_ROWS = 10_000;

/** As `compactFiles`, while the first sync adds files to many days at once. */
export async function compactSmallFiles(store: RowStore, manifest: Manifest, now: number): Promise<Manifest> {
  const small = manifest.files.filter(({ rows }) => rows < WAITING_ROWS);
  const batches = findBatches(small, () => OPEN_FILES);
  if (batches.length === 0) return manifest;
  const engine = await openEngine({ folder: store.folder, memory: memoryFor(WAITING_ROWS) });
  try {
    return await mergeFiles(engine, store, manifest, { batches, now });
  } finally {
    engine.close();
  }
}
