import { expect, test } from 'vitest';
import { findMissingRows } from '../../../../cli/review/rows/fillBucket.ts';
import { tilePath } from '../../../../functions/c2sp/tiles.ts';
import { featureRow } from '../../../../functions/features/featureRow.ts';
import { storeRows } from '../../../../functions/indexer/rowFolders.ts';
import { memoryLog } from '../../../c2sp/trees.ts';
import { entryOf, NOON, openIndexer } from '../../../indexer/indexerFixture.ts';

const { bucket } = await openIndexer();

test('a leaf is missing that has no row of this version in any file', async () => {
  const rows = [1, 2, 3].map((number) => featureRow(entryOf(number, NOON + number)));
  const [first, second, third] = rows as [(typeof rows)[number], (typeof rows)[number], (typeof rows)[number]];
  const log = memoryLog();
  log.append(rows.map(({ row }) => Buffer.from(row.leaf)));
  await storeRows(bucket, 'a', [first]);
  await storeRows(bucket, 'b', [{ ...second, row: { ...second.row, row_version: 1 } }]);
  const readTile = async (tile: Parameters<typeof tilePath>[0]) => log.files.get(tilePath(tile)) as Uint8Array;
  const opened = { checkpoint: { size: 3 }, readTile } as never;
  const missing = await findMissingRows(bucket, opened);
  expect([missing.size, ...rows.map(({ row }) => missing.get(row.leaf))]).toEqual([2, undefined, true, true]);
  await storeRows(bucket, 'c', [second, third]);
  expect((await findMissingRows(bucket, opened)).size).toBe(0);
});
