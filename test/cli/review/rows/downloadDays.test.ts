import { beforeEach, expect, test } from 'vitest';
import { downloadDays } from '../../../../cli/review/rows/downloadDays.ts';
import { emptyManifest, filesOf, rowStore } from '../../../../cli/review/rows/rowStore.ts';
import { featureRow } from '../../../../functions/features/featureRow.ts';
import { storeRows } from '../../../../functions/indexer/rowFolders.ts';
import { DAY_MS, entryOf, NOON, openIndexer } from '../../../indexer/indexerFixture.ts';
import { HOUR_MS, temporaryFolder } from '../../../setup/world.ts';

const { bucket, reset } = await openIndexer();
beforeEach(reset);

const FIRST_ENDS = NOON + DAY_MS / 2;
const SECOND_ENDS = FIRST_ENDS + DAY_MS;

/** Stores the rows of a day in the bucket. */
function put(name: string, at: number, rowVersion?: number) {
  const { row, search } = featureRow(entryOf(1, at));
  return storeRows(bucket, name, [{ row: { ...row, ...(rowVersion && { row_version: rowVersion }) }, search }]);
}

const openSync = () => ({
  terminal: { progress: () => ({ advance: () => {}, stop: () => {} }), signal: new AbortController().signal },
  store: rowStore(temporaryFolder()),
  manifest: emptyManifest('table'),
  added: 0,
});

/** Downloads days at a time. @returns the end of the last one, and the rows that were added */
async function download(now: number, sync = openSync()) {
  const until = await downloadDays(Object.assign(sync, { now }) as never, bucket);
  return { until, added: sync.added };
}

test('days are downloaded that ended three hours ago, and a later run goes on after them', async () => {
  await put('a', NOON);
  await put('b', NOON + DAY_MS);
  const sync = openSync();
  expect(await download(FIRST_ENDS + 3 * HOUR_MS - 1, sync)).toEqual({ until: undefined, added: 0 });
  expect(await download(SECOND_ENDS + 3 * HOUR_MS - 1, sync)).toEqual({ until: FIRST_ENDS, added: 1 });
  expect(sync.manifest).toMatchObject({ after: undefined, until: FIRST_ENDS });
  expect(await download(SECOND_ENDS + 3 * HOUR_MS, sync)).toEqual({ until: SECOND_ENDS, added: 2 });
  const names = filesOf(sync.manifest, 'entries').map(({ name }) => name.split('/')[1]);
  expect(names).toEqual(['received_day=2025-11-17', 'received_day=2025-11-18']);
  expect([filesOf(sync.manifest, 'texts').length, sync.store.read()]).toEqual([
    2,
    JSON.parse(JSON.stringify(sync.manifest)),
  ]);
});

test.each<[string, () => Promise<unknown>]>([
  ['has two files of rows', () => put('c', NOON + DAY_MS)],
  ['has no texts', async () => bucket.remove('texts/received_day=2025-11-18/b.parquet')],
  [
    'has rows of another version',
    async () => {
      await bucket.remove('entries/received_day=2025-11-18/b.parquet');
      await bucket.remove('texts/received_day=2025-11-18/b.parquet');
      await put('d', NOON + DAY_MS, 1);
    },
  ],
])('a day that %s is not downloaded, nor one after it', async (_what, change) => {
  for (const [at, name] of ['a', 'b', 'c'].entries()) await put(name, NOON + at * DAY_MS);
  await change();
  expect(await download(NOON + 10 * DAY_MS)).toEqual({ until: FIRST_ENDS, added: 1 });
});
