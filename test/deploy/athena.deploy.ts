import { AthenaClient } from '@aws-sdk/client-athena';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompetition, type DemoLog } from '../../cli/local/demo/competition.ts';
import { openAthena } from '../../cli/review/figures/athenaEngine.ts';
import { figuresQuery, makeFigures } from '../../cli/review/figures/makeFigures.ts';
import { ORDER_COLUMNS } from '../../cli/review/orders/order.ts';
import { findLeaders } from '../../cli/review/rows/near.ts';
import { type AnyEngine, type Cell, openEngine } from '../../cli/store/duckdb/duckdb.ts';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { FEATURE_COLUMNS, featureRow } from '../../functions/features/featureRow.ts';
import { rowBucket } from '../../functions/indexer/rowBucket.ts';
import { storeRows } from '../../functions/indexer/rowFolders.ts';
import { received } from '../ailog/received.ts';
import { startAthenaProxy } from './athenaProxy.ts';
import { useDeployment } from './deployment.ts';

/** The figures of the report by Athena, compared with those of DuckDB on this machine. */
const stack = await useDeployment(() => ({ analytics: 'true' }));
let proxy: Awaited<ReturnType<typeof startAthenaProxy>>;

const teams = createCompetition('1');
const orders = teams.flatMap((team) => team.orders);

function entryOf(uid: string, { signedAt, receivedAt = signedAt + 40, body }: DemoLog): Entry {
  const { model, stage } = JSON.parse(body);
  const [, orderId] = /^\{"orderId":(\d+)/.exec(body) ?? [];
  const log = { model, stage, ...(orderId !== undefined && { orderId }) };
  const timestamp = String(signedAt);
  const rawBody = Buffer.from(body);
  return composeEntry(log, { ...received, uid, timestamp, signature: `${uid} ${body}`, receivedAt, rawBody });
}

/** Makes all tables of a report. */
async function review(engine: AnyEngine): Promise<void> {
  await findLeaders(engine);
  const add = await engine.table('orders', ORDER_COLUMNS);
  await add(
    orders.map(({ orderId, placedAt, ...order }) => ({
      ...{ ...order, order_id: BigInt(orderId), placed_at: BigInt(placedAt), cancelled: false },
    })),
  );
  await makeFigures(engine, { within: 60_000 }, { allowed: [], hasOrders: true });
  await engine.make('order_logs', figuresQuery('orderLogs'));
  await engine.make('repeated', figuresQuery('repeated'));
}

const TABLES = [
  ...['near', 'logs', 'teams', 'placed', 'period', 'names', 'labels', 'repeats', 'claims', 'timeline', 'silences'],
  ...['figures', 'order_logs', 'repeated'],
];

/** Reads a table as a sorted list of texts, a row each. */
async function rowsOf(engine: AnyEngine, table: string): Promise<string[]> {
  const text = (value: Cell) => (typeof value === 'bigint' ? String(value) : value);
  const rows = await Array.fromAsync(engine.read<Record<string, Cell>>(`SELECT * FROM ${table}`));
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]))))
    .sort();
}

beforeAll(async () => {
  if (stack.isHere) proxy = await startAthenaProxy(stack.emulator, stack.deployed.analytics.bucket);
});
afterAll(() => proxy?.close());

test('every table of the report has the same cells by Athena, where every row is there twice, and by DuckDB', async () => {
  const rows = teams.flatMap(({ uid, logs }) => logs.map((log) => featureRow(entryOf(uid, log))));
  const { s3 } = stack;
  const { bucket, database, workgroup } = stack.deployed.analytics;
  const files = rowBucket(s3, bucket);
  await storeRows(files, '1', rows);
  await storeRows(files, '2', rows);

  const local = await openEngine();
  const add = await local.table('entries', FEATURE_COLUMNS);
  await add(rows.map(({ row }) => row));
  await review(local);
  const athena = new AthenaClient({ ...stack.emulator.client, endpoint: proxy.url });
  const cloud = openAthena({ bucket, database, workgroup, athena, s3 });
  await review(cloud);
  for (const table of TABLES) {
    const [expected, found] = [await rowsOf(local, table), await rowsOf(cloud, table)];
    expect(expected.length, table).toBeGreaterThan(0);
    expect(found, table).toEqual(expected);
  }
  await cloud.close();
  local.close();
});
