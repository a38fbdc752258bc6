import { hash } from 'node:crypto';
import pMap from 'p-map';
import { bundlesFrom, readBundle, type Tile } from '../../../functions/c2sp/tiles.ts';
import { type FeatureRow, ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { readRows } from '../../../functions/features/readRows.ts';
import type { RowBucket } from '../../../functions/indexer/rowBucket.ts';
import { type IndexedRow, keyOf, storeRows } from '../../../functions/indexer/rowFolders.ts';
import { compare } from '../../proof/audit/compare.ts';
import type { OpenLog } from '../../proof/log/openLog.ts';
import { entryHashOfRow } from '../../proof/log/rowPlace.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { openEngine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readPages } from '../../store/entries/readPages.ts';
import type { Target } from '../../store/targets/target.ts';
import { rowOrProblem } from './collectRows.ts';
import { EntryHashMap } from './entryHashMap.ts';

const FILE_ROWS = 10_000;

const CONCURRENT_BUNDLES = 32;
const CONCURRENT_FILES = 4;

/**
 * Compares the leaves of a published log with those of the rows in a bucket. Rows of another version do not count.
 * @returns the leaves without a row
 * @throws Failure if a file of the log is missing
 */
export async function findMissingRows(
  bucket: RowBucket,
  { checkpoint, readTile }: Pick<OpenLog, 'checkpoint' | 'readTile'>,
) {
  const engine = await openEngine();
  try {
    const addLeaves = await engine.table('leaf', { idx: 'BIGINT', hash: 'BINARY' });
    const addRows = await engine.table('compared', { hash: 'BINARY' });
    const readLeaves = async (bundle: Tile) => {
      await addLeaves(readBundle(await readTile(bundle), bundle.width).map((hash) => ({ hash })));
    };
    await pMap(bundlesFrom(0, checkpoint.size), readLeaves, { concurrency: CONCURRENT_BUNDLES });
    const readFile = async (name: string) => {
      const columns = ['leaf', 'row_version'] as const;
      const rows = await readRows<FeatureRow>(await bucket.get(name), { columns });
      await addRows(rows.filter((row) => row.row_version === ROW_VERSION).map(({ leaf }) => ({ hash: leaf })));
    };
    await pMap(await bucket.list('entries/'), readFile, { concurrency: CONCURRENT_FILES });
    await compare(engine);
    const missing = new EntryHashMap<true>();
    for await (const { hash } of engine.read<{ hash: Uint8Array }>('SELECT hash FROM without_row')) {
      missing.set(hash, true);
    }
    return missing;
  } finally {
    engine.close();
  }
}

/**
 * Reads the whole table, and stores the rows that a bucket lacks. It can be interrupted: what was stored stays, and the
 * next run finds the rest.
 * @param missing what was stored is taken out
 * @returns the number of rows, and the reasons why entries have none
 */
export async function fillBucket(
  terminal: Surroundings,
  target: Target,
  bucket: RowBucket,
  missing: EntryHashMap<true>,
) {
  const poisoned: string[] = [];
  let rows: IndexedRow[] = [];
  let added = 0;
  const store = async () => {
    const name = hash('sha256', rows.map(({ row }) => keyOf(row)).join()).slice(0, 32);
    await storeRows(bucket, `backfill-${name}`, rows);
    for (const { row } of rows) missing.delete(row.leaf);
    added += rows.length;
    rows = [];
  };
  for await (const { entries } of readPages(terminal, entriesReader(target), {})) {
    for (const entry of entries) {
      const leaf = entryHashOfRow(entry);
      if (!leaf || !missing.get(leaf)) continue;
      const { indexed, problem } = rowOrProblem(entry);
      if (indexed) rows.push(indexed);
      else poisoned.push(`Entry ${entry.entryId} of UID ${entry.uid}: ${problem?.problem}`);
    }
    if (rows.length >= FILE_ROWS) await store();
  }
  await store();
  return { added, poisoned };
}
