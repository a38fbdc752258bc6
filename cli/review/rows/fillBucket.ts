import { hash } from 'node:crypto';
import pMap from 'p-map';
import { bundlesFrom, readBundle } from '../../../functions/c2sp/tiles.ts';
import { type FeatureRow, ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { readRows } from '../../../functions/features/readRows.ts';
import type { RowBucket } from '../../../functions/indexer/rowBucket.ts';
import { type IndexedRow, keyOf, storeRows } from '../../../functions/indexer/rowFolders.ts';
import { EntryHashMap } from '../../proof/inclusion/entryHashMap.ts';
import { entryHashOfRow } from '../../proof/inclusion/locateEntry.ts';
import { ownEntryHashes } from '../../proof/inclusion/ownEntryHashes.ts';
import type { PublishedLog } from '../../proof/inclusion/publishedLog.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readPages } from '../../store/entries/readPages.ts';
import type { Target } from '../../store/targets/target.ts';
import { rowOrProblem } from './rowOrProblem.ts';

/** The rows of a file that is stored. */
const FILE_ROWS = 10_000;

/** Concurrent reads of entry bundles, and of files of rows. */
const [BUNDLES, FILES] = [32, 4];

/**
 * Compares the leaves of a published log with those of the rows in a bucket. Rows of another version count as missing.
 * @returns the leaves without a row
 * @throws Failure if a file of the log is missing
 */
export async function findMissingRows(
  bucket: RowBucket,
  { head, checkpoint, readTile }: Pick<PublishedLog, 'head' | 'checkpoint' | 'readTile'>,
) {
  const missing = new EntryHashMap<true>();
  const readLeaves = async (bundle: Parameters<typeof readTile>[0]) => {
    for (const leaf of readBundle(await readTile(bundle), bundle.width)) missing.set(leaf, true);
  };
  await pMap(bundlesFrom(0, checkpoint.size), readLeaves, { concurrency: BUNDLES });
  for (const own of ownEntryHashes(head)) missing.delete(own);
  const readFile = async (name: string) => {
    const columns = ['leaf', 'row_version'] as const;
    for (const { leaf, row_version } of await readRows<FeatureRow>(await bucket.get(name), { columns })) {
      if (row_version === ROW_VERSION) missing.delete(leaf);
    }
  };
  await pMap(await bucket.list('entries/'), readFile, { concurrency: FILES });
  return missing;
}

/**
 * Reads the whole table, and stores the rows that a bucket lacks. It can be interrupted: what was stored stays, and the
 * next run finds the rest.
 * @param missing what was stored is taken out
 * @returns the number of rows, and the reasons why entries have none
 */
export async function fillBucket(terminal: Terminal, target: Target, bucket: RowBucket, missing: EntryHashMap<true>) {
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
  for await (const { entries } of readPages(terminal, entriesReader(target.db, target.tables.aiLogs), {})) {
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
