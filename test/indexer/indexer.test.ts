import { hash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { featureRow, ROW_VERSION } from '../../functions/features/featureRow.ts';
import { compactDays } from '../../functions/indexer/compactDays.ts';
import { rowBucket } from '../../functions/indexer/rowBucket.ts';
import { keyOf, storeRows } from '../../functions/indexer/rowFolders.ts';
import { metricsOf, recordWritten, s3Error } from '../setup/world.ts';
import { DAY_MS, entryOf, NOON, openIndexer, streamed } from './indexerFixture.ts';

const written = recordWritten();
const { cloud, bucket, rowsBelow, idsBelow, index, compact, wait, reset, openClient } = await openIndexer();
beforeEach(() => {
  reset();
  written.clear();
});

test('a batch becomes a file of rows and one of texts, named by its range in the stream', async () => {
  const entries = [entryOf(2), entryOf(1), entryOf(3, NOON, '7')];
  expect(await index(streamed(entries))).toEqual({ batchItemFailures: [] });
  expect([...cloud.objects.keys()]).toEqual([
    'texts/received_day=2025-11-17/100-102.parquet',
    'entries/received_day=2025-11-17/100-102.parquet',
  ]);
  const sorted = entries
    .map((entry) => featureRow(entry))
    .sort((one, other) => (keyOf(one.row) < keyOf(other.row) ? -1 : 1));
  expect(sorted.map(({ row }) => row.uid)).toEqual(['42', '42', '7']);
  const found = await rowsBelow('entries/');
  expect(found).toEqual(sorted.map(({ row: { leaf, ...row } }) => ({ ...row, leaf: new Uint8Array(leaf) })));
  const texts = sorted.map(({ row: { uid, entry_id }, search }) => ({ uid, entry_id, search }));
  expect(await rowsBelow('texts/')).toEqual(texts);
  const [line = {}] = written.lines();
  expect(line).toMatchObject({ level: 'INFO', message: 'indexed', rows: 3, days: 1, poisoned: [] });
  expect(metricsOf(line)).toEqual({ RowsIndexed: '3 Count service', EntriesPoisoned: '0 Count service' });
});

test('a batch over midnight has a file for each day', async () => {
  await index(streamed([entryOf(1), entryOf(2, NOON + DAY_MS), entryOf(3, NOON + DAY_MS)]));
  expect(await bucket.list('entries/')).toHaveLength(2);
  expect(await idsBelow('entries/received_day=2025-11-18')).toHaveLength(2);
});

test('large logs have files of their own, and Lambda goes on at the first one for which there is no time', async () => {
  const records = Array.from({ length: 40 }, (_, number) => entryOf(number, NOON, '42', ' '.repeat(1_000_000)));
  let calls = 0;
  const answer = await index(streamed(records), () => (++calls < 38 ? 900_000 : 60_000));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '138' }] });
  const names = (await bucket.list('entries/')).map((name) => name.slice(32));
  expect(names).toEqual(['100-116.parquet', '117-133.parquet', '134-137.parquet']);
  expect(await idsBelow('entries/')).toHaveLength(38);
  expect(written.lines()).toMatchObject([{ level: 'INFO', message: 'indexed', rows: 38, unread: '138' }]);
});

test('a batch that is invoked again is stored once, also if the answer of a write was lost', async () => {
  const batch = streamed([entryOf(1), entryOf(2)]);
  cloud.way.plan('pass', 'lose the answer');
  await expect(index(batch)).rejects.toThrow();
  expect(written.lines()).toMatchObject([{ level: 'ERROR', message: 'failed' }]);
  const stored = new Map(cloud.objects);
  expect(await index(batch)).toEqual({ batchItemFailures: [] });
  expect(cloud.objects).toEqual(stored);
  expect(await idsBelow('entries/')).toHaveLength(2);
});

test('a failure of the bucket fails the batch, so that it is retried', async () => {
  cloud.way.plan(s3Error(503, 'SlowDown'));
  await expect(index(streamed([entryOf(1)]))).rejects.toThrow('SlowDown');
});

test('poisoned entries are reported, and keep no other entry from its row', async () => {
  const wrongBody = { ...entryOf(2), bodySha256: hash('sha256', 'another body') };
  const noText = { ...entryOf(3), stage: undefined as unknown as string };
  const { Records } = streamed([entryOf(1), wrongBody, noText, entryOf(4)]);
  expect(await index({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: '101' }, { itemIdentifier: '102' }],
  });
  expect(new Set(await idsBelow('entries/'))).toEqual(new Set([entryOf(1).entryId, entryOf(4).entryId]));
  const [line = {}] = written.lines();
  expect(line).toMatchObject({ level: 'ERROR', message: 'indexed', rows: 2 });
  expect(line.poisoned[0].problem).toBe(`Entry ${wrongBody.entryId} of UID 42: its body has another SHA-256`);
  expect(metricsOf(line)).toMatchObject({ EntriesPoisoned: '2 Count service' });

  // Lambda retries from the first failure on. The last good row is stored twice, under a name that says so.
  const retried = await index({ Records: Records.slice(1) });
  expect(retried.batchItemFailures).toHaveLength(2);
  expect(await bucket.list('entries/')).toEqual([
    'entries/received_day=2025-11-17/100-103.parquet',
    'entries/received_day=2025-11-17/101-103.parquet',
  ]);
});

test('a body that is taken for text is no row, however its digests look', async () => {
  const { Records } = streamed([entryOf(1)]);
  const image = Records[0]?.dynamodb.NewImage as Record<string, { S?: string; B?: string }>;
  image.body = { S: image.body?.B as string };
  expect((await index({ Records })).batchItemFailures).toHaveLength(1);
});

test('a closed day becomes one sorted file without doubles; the present day stays as it is', async () => {
  const entries = [5, 3, 1, 4, 2].map((number) => entryOf(number, NOON + number, number > 3 ? '7' : '42'));
  await index(streamed(entries.slice(0, 2), 100));
  await index(streamed(entries.slice(1), 101));
  await index(streamed([entryOf(9, NOON + DAY_MS)], 200));
  await index(streamed([entryOf(8, NOON + DAY_MS)], 201));
  written.clear();
  wait();
  await compact();

  const days = (await bucket.list('entries/')).map((name) => name.slice(0, 33));
  expect(days).toEqual(['entries/received_day=2025-11-17/d', ...Array(2).fill('entries/received_day=2025-11-18/2')]);
  const rows = await rowsBelow('entries/received_day=2025-11-17');
  expect(rows.map(({ uid, received_at }) => `${uid} ${Number(received_at) - NOON}`)).toEqual([
    '42 1',
    '42 2',
    '42 3',
    '7 4',
    '7 5',
  ]);
  expect(await idsBelow('texts/received_day=2025-11-17')).toEqual(rows.map(({ entry_id }) => entry_id));
  expect(written.lines()).toMatchObject([
    {
      message: 'compacted',
      folders: [
        { folder: 'texts/received_day=2025-11-17', files: 2, rows: 5, doubles: 1 },
        { folder: 'entries/received_day=2025-11-17', files: 2, rows: 5, doubles: 1 },
      ],
    },
  ]);

  cloud.calls();
  await compact();
  expect(cloud.calls().filter((call) => !call.startsWith('GET '))).toEqual([]);
});

test('a row that was made again replaces the one in the compacted file', async () => {
  const made = (version: number) => {
    const { row, search } = featureRow(entryOf(1));
    return { row: { ...row, row_version: version }, search: `${search} ${version}` };
  };
  wait();
  await storeRows(bucket, '1-1', [made(1)]);
  await storeRows(bucket, '2-2', [featureRow(entryOf(2))]);
  await compact();
  await storeRows(bucket, 'backfill-1', [made(7)]);
  await compact();
  expect((await rowsBelow('entries/')).map(({ row_version }) => row_version).sort()).toEqual([7, ROW_VERSION]);
  expect((await rowsBelow('texts/')).filter(({ search }) => search.endsWith(' 7'))).toHaveLength(1);
});

test('two compactions at once leave one file and all rows', async () => {
  for (const number of [1, 2, 3]) await index(streamed([entryOf(number)], number));
  wait();
  await Promise.allSettled([compact(), compact()]);
  await compact();
  expect(await idsBelow('entries/')).toHaveLength(3);
  expect(await bucket.list('entries/')).toHaveLength(1);
});

test('a compacted file that lacks a row keeps the others from removal', async () => {
  for (const number of [1, 2]) await index(streamed([entryOf(number)], number));
  const lacking = cloud.objects.get('texts/received_day=2025-11-17/1-1.parquet')?.body as Buffer;
  const wrong = openClient();
  wrong.middlewareStack.add(
    (next) => (args) => {
      const input = args.input as { Key?: string; Body?: unknown };
      if (input.Body !== undefined && input.Key?.includes('/day-')) input.Body = lacking;
      return next(args);
    },
    { step: 'initialize' },
  );
  const options = { now: NOON + DAY_MS, hasTime: () => true };
  await expect(compactDays(rowBucket(wrong, 'bucket'), options)).rejects.toThrow('has 1 rows instead of 2');
  expect(await bucket.list('texts/')).toHaveLength(3);
  await compactDays(bucket, options);
  expect(await idsBelow('texts/')).toHaveLength(2);
});

test('a day is not begun without the time for it', async () => {
  for (const number of [1, 2]) await index(streamed([entryOf(number)], number));
  wait();
  await compact(5 * 60_000);
  expect(await bucket.list('entries/')).toHaveLength(2);
});
