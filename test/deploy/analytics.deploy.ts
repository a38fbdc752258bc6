import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test, vi } from 'vitest';
import { featureRow } from '../../functions/features/featureRow.ts';
import { rowBucket } from '../../functions/indexer/rowBucket.ts';
import { storeRows } from '../../functions/indexer/rowFolders.ts';
import { entryOf } from '../indexer/indexerFixture.ts';
import { signedUpload } from '../setup/upload.ts';
import { ailogOf } from './ailog.ts';
import { startAthenaProxy } from './athenaProxy.ts';
import { useDeployment } from './deployment.ts';
import { send } from './send.ts';

/** Feature rows of a deployed stack: from the stream of its table to files in the bucket, and to Athena. */
const UPLOADS = 5;

const stack = await useDeployment(() => ({ analytics: 'true' }));
let bucket: ReturnType<typeof rowBucket>;

const athena = () => new AthenaClient(stack.emulator.client);

/** Runs a query in the workgroup of the deployment. @returns its rows, as text */
async function query(QueryString: string): Promise<(string | undefined)[][]> {
  const { workgroup: WorkGroup, database: Database } = stack.deployed.analytics;
  const { QueryExecutionId } = await athena().send(
    new StartQueryExecutionCommand({ QueryString, WorkGroup, QueryExecutionContext: { Database } }),
  );
  await vi.waitFor(
    async () => {
      const { QueryExecution } = await athena().send(new GetQueryExecutionCommand({ QueryExecutionId }));
      expect(QueryExecution?.Status).toMatchObject({ State: expect.stringMatching(/SUCCEEDED|FAILED/) });
      expect(QueryExecution?.Status?.StateChangeReason).toBeFalsy();
    },
    { timeout: 20_000, interval: 200 },
  );
  const { ResultSet } = await athena().send(new GetQueryResultsCommand({ QueryExecutionId }));
  return (ResultSet?.Rows ?? []).slice(1).map(({ Data = [] }) => Data.map(({ VarCharValue }) => VarCharValue));
}

/** Runs the indexer as its nightly schedule does. */
async function compact(): Promise<void> {
  const { FunctionError, Payload } = await stack.lambda.send(
    new InvokeCommand({ FunctionName: stack.deployed.analytics.indexerFunction, Payload: '{}' }),
  );
  expect(FunctionError, Buffer.from(Payload ?? '').toString()).toBeUndefined();
}

beforeAll(async () => {
  if (!stack.isHere) return;
  bucket = rowBucket(stack.s3, stack.deployed.analytics.bucket);
});

test('every upload gets a row, with its digests, its order and its leaf', async () => {
  for (let upload = 0; upload < UPLOADS; upload += 1) await send(stack.deployed.baseUrl, signedUpload(stack.team));
  await vi.waitFor(
    async () => expect(await query('SELECT count(DISTINCT entry_id) FROM entries')).toEqual([[String(UPLOADS)]]),
    { timeout: 60_000, interval: 1000 },
  );
  const stored = (await stack.ailog.exportLogs('42')).map((line) => JSON.parse(line));
  const rows = await query('SELECT entry_id, order_id, body_bytes, received_day FROM entries ORDER BY entry_id');
  expect(rows).toEqual(
    stored
      .map(({ entryId, orderId, bodyBytes, receivedAt }) => [
        entryId,
        orderId,
        String(bodyBytes),
        new Date(receivedAt).toISOString().slice(0, 10),
      ])
      .sort(),
  );
  const leaves = await query('SELECT count(*) FROM entries JOIN texts ON texts.entry_id = entries.entry_id');
  expect(leaves).toEqual([[String(UPLOADS)]]);
});

test('the report by Athena is the one of the rows on this machine, without the places in the transparency log', async () => {
  const proxy = await startAthenaProxy(stack.emulator, stack.deployed.analytics.bucket);
  const environment = { ...stack.emulator.environment, AWS_ENDPOINT_URL_ATHENA: proxy.url };
  const report = async (...args: string[]) => {
    const { teams, ...others } = JSON.parse(
      await ailogOf({ ...stack.emulator, environment }, stack.deployed).onStack('report', '--json', ...args),
    );
    return { ...others, teams: teams.map((team: object) => ({ ...team, tlog: null })) };
  };
  const fromRows = await report();
  expect(fromRows.teams).toMatchObject([{ uid: '42', entries: UPLOADS, ownRepeats: UPLOADS - 1 }]);
  expect(await report('--engine', 'athena')).toEqual(fromRows);
  proxy.close();
});

test('a change of an entry in the table makes no row', async () => {
  const entry = { ...entryOf(9), uid: '43' };
  await stack.db.send(new PutCommand({ TableName: stack.deployed.tables.aiLogs, Item: entry }));
  const count = async () => query("SELECT count(*), min(stage) FROM entries WHERE uid = '43'");
  await vi.waitFor(async () => expect(await count()).toEqual([['1', entry.stage]]), { timeout: 60_000 });
  await stack.db.send(new PutCommand({ TableName: stack.deployed.tables.aiLogs, Item: { ...entry, stage: 'edited' } }));
  await send(stack.deployed.baseUrl, signedUpload(stack.team));
  await vi.waitFor(
    async () => expect(await query("SELECT count(*) FROM entries WHERE uid = '42'")).toEqual([[String(UPLOADS + 1)]]),
    { timeout: 60_000 },
  );
  expect(await count()).toEqual([['1', entry.stage]]);
});

test('the nightly run makes one file of a closed day, in which a row that is there twice is there once', async () => {
  const rows = [1, 2, 3].map((number) => featureRow(entryOf(number)));
  await storeRows(bucket, '1-2', rows.slice(0, 2));
  await storeRows(bucket, '2-3', rows.slice(1));
  const day = "FROM entries WHERE received_day = '2025-11-17'";
  expect(await query(`SELECT count(*), count(DISTINCT entry_id) ${day}`)).toEqual([['5', '4']]);
  await compact();
  expect(await query(`SELECT count(*), count(DISTINCT entry_id) ${day}`)).toEqual([['4', '4']]);
  expect(await bucket.list('entries/received_day=2025-11-17')).toHaveLength(1);
});

test('rows that are lost are found by the transparency log, and made again', async () => {
  const ids = async () => query("SELECT entry_id FROM entries WHERE uid = '42' ORDER BY entry_id");
  const before = await ids();
  const today = (await bucket.list('entries/')).filter((name) => !name.includes('2025-11-17'));
  expect(today.length).toBeGreaterThan(0);
  for (const name of today) await bucket.remove(name);
  expect(await ids()).toHaveLength(3);
  let added = 0;
  await vi.waitFor(
    async () => {
      expect(await stack.runSequencer()).toBeUndefined();
      added += JSON.parse(await stack.ailog.onStack('data', 'backfill', '--json')).added;
      expect(added).toBe(UPLOADS + 1);
    },
    { timeout: 120_000, interval: 5000 },
  );
  expect(await ids()).toEqual(before);
});
