/**
 * `npm run bench growth`: compares uploads to a table with `BENCH_ENTRIES` entries (default: a million) with uploads to
 * an empty one, on the same engine and in the same run. Then measures, with a transparency log of all entries, the
 * commands that read every entry, also after 10 000 new entries. With `BENCH_ROWS`, it measures reports over that many
 * rows instead, which are synced already: 15 000 000 take 10 GB of disk.
 */

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTables } from '../../cli/local/localData.ts';
import { localRunOptions } from '../../cli/local/sequence.ts';
import { localSigner } from '../../cli/local/sequenceKeys.ts';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { allowlistEditor } from '../../cli/store/tables/allowlistEditor.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN, localIdentity, localPaths, localTables } from '../../cli/store/targets/data.ts';
import { readTimeout } from '../../cli/store/targets/openedTarget.ts';
import { entriesTable } from '../../functions/ailog/entries.ts';
import { HASH_BYTES } from '../../functions/c2sp/hashing.ts';
import { formatPolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { ensureReceiptKey } from '../../functions/sequencer/receiptKeys.ts';
import { type Log, run } from '../../functions/sequencer/sequence.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { eventOf, localWorld, signedUpload, type Tables, world } from '../setup/world.ts';
import { ENTRIES, entryAt, requireEntries, storeItems } from './entries.ts';
import { accept, logOf, SIZES, WORDS } from './handler.ts';
import { headOf, median, sideBySide, timeOf } from './measure.ts';
import { measureProgram, PROGRAM_HEAD } from './measureProgram.ts';
import { ROWS, writeRows } from './rows.ts';

/** The number of teams that own the entries. */
const TEAMS = 500;
const ROUNDS = 500;

/** The entries that come between two reports. */
const NEW_ENTRIES = 10_000;

/** The time of the first entry, in milliseconds since 1970. */
const START_MS = 1_763_000_000_000;

const uidOf = (n: number) => String(5_000_000 + (n % TEAMS));

/**
 * Returns the nth entry, with a body of its own, which names an order. Thirty words differ enough from thirty others
 * for two logs not to repeat each other. @param at milliseconds since 1970
 */
function entryOf(n: number, at: number) {
  const text = Array.from(
    { length: 30 },
    (_, place) => WORDS[(n * 7919 + place * place * 31 + (n >> (place % 20))) % WORDS.length],
  );
  const log = { ...JSON.parse(logOf(SIZES['1.5 KB'])), orderId: String(n + 1), output: { reason: text.join(' ') } };
  const entry = entryAt(at, log, { uid: uidOf(n), signature: n.toString(16).padStart(44, '0') });
  return { ...entry, ...arrivalKeys(entry) };
}

/** Stores entries of many teams. @param timeOf the time of each in ms since 1970 @returns their entry hashes */
async function fill({ db }: Tables, from: number, until: number, timeOf: (n: number) => number): Promise<Buffer[]> {
  // In one piece: a copy of each would keep all that shares its memory.
  const hashes = Buffer.alloc((until - from) * HASH_BYTES);
  await storeItems(db, localTables.aiLogs, until - from, (at) => {
    const entry = entryOf(from + at, timeOf(from + at));
    hashes.set(entry.arrival.subarray(-HASH_BYTES), at * HASH_BYTES);
    return entry;
  });
  return Array.from({ length: until - from }, (_, at) => hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** Measures reports over generated rows: the first one makes the figures, the second one finds them. */
async function measureReports(): Promise<string[]> {
  const local = await localWorld();
  const { folder } = local;
  await writeRows(local);
  process.env.DYNAMODB_ENDPOINT = local.endpoint;
  const args = ['report', '--no-sync', '--local', '--orders', 'orders.csv'];
  const measure = (name: string) => measureProgram(name, { folder, path: '../../cli/main.ts', args });
  const lines = ['', `${ROWS} rows, each with an order`, '', ...PROGRAM_HEAD];
  lines.push(measure('first report'), measure('second report'));
  await local.close();
  return lines;
}

/** Compares uploads to an empty and to a full table, then measures the commands that read every entry. */
export async function measureGrowth(): Promise<string[]> {
  if (process.env.BENCH_ROWS) return measureReports();
  requireEntries();
  const endpoint = process.env.DYNAMODB_ENDPOINT as string;
  const fixtures = { empty: await world(), full: await world() };
  await createTables(new DynamoDBClient({ endpoint, ...localIdentity }), localTables);
  const start = performance.now();
  const hashes = await fill(fixtures.full, 0, ENTRIES, (n) => START_MS + n);
  const lines = [
    '### Growth of the table',
    '',
    `${ENTRIES} entries of ${TEAMS} teams, stored in ${Math.round((performance.now() - start) / 1000)} s`,
    '',
  ];

  const body = logOf(SIZES['10 KB']);
  const uploader = async (fixture: Tables, table: string) => {
    const entries = entriesTable(fixture.db, table);
    const [team, handle] = [await fixture.team(), createHandler(fixture.dependencies({ entries }))];
    return async () => {
      const event = eventOf(signedUpload(team, { body }));
      return timeOf(() => accept(handle, event));
    };
  };
  const times = await sideBySide(100 + ROUNDS, {
    empty: await uploader(fixtures.empty, fixtures.empty.names.aiLogs),
    full: await uploader(fixtures.full, localTables.aiLogs),
  });
  const [empty, full] = [times.empty.slice(100), times.full.slice(100)];
  lines.push(...headOf(`| 10 KB, ${ROUNDS} uploads | empty table | ${ENTRIES} entries | ratio |`));
  for (const [name, share] of [
    ['median', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [before, after] = [quantile(empty, share), quantile(full, share)];
    lines.push(`| ${name} | ${before.toFixed(2)} ms | ${after.toFixed(2)} ms | ${(after / before).toFixed(2)} |`);
  }

  const { db } = fixtures.full;
  const allowlist = allowlistEditor({ db, tables: localTables });
  for (let team = 0; team < TEAMS; team += 1)
    await allowlist.put({ uid: String(5_000_000 + team), status: 'approved' });
  const folder = mkdtempSync(join(tmpdir(), 'ailog-growth-'));
  mkdirSync(join(folder, LOCAL_FOLDER));
  const keyFile = join(folder, localPaths.key);
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  // The commands find the tables like those of `npm start`.
  const measure = (args: readonly string[], { note = '', expected = 0 } = {}) =>
    measureProgram(`\`ailog ${args.join(' ')}\`${note}`, {
      folder,
      path: '../../cli/main.ts',
      args: [...args, '--local'],
      expected,
    });
  const orders = Array.from({ length: ENTRIES }, (_, n) => `${uidOf(n)},${n + 1},${START_MS + n - 5000}\n`);
  writeFileSync(join(folder, 'orders.csv'), `uid,order_id,time\n${orders.join('')}`);
  const withOrders = ['report', '--orders', 'orders.csv'];
  lines.push('', ...PROGRAM_HEAD);
  const log = localRunOptions({ db, tables: localTables, folder: join(folder, localPaths.tlog), keyFile });
  const sequence = (change: Partial<Log> = {}) => run({ ...log, ...change }, new AbortController().signal);
  // The log begins with the entries, which the index of this engine would show minute by minute.
  const arrivals = hashes.map((entryHash, n) => ({ receivedAt: START_MS + n, entryHash }));
  await sequence({
    arrivals: {
      beginning: async () => START_MS,
      between: async ([from, until]) =>
        arrivals.slice(Math.max(0, Math.ceil(from - START_MS)), Math.max(0, Math.ceil(until - START_MS))),
    },
  });
  const receipts = [await ensureReceiptKey(log, 1, readTimeout())];
  const logs = [formatVerifierKey(localSigner(keyFile, LOCAL_ORIGIN).key)];
  writeFileSync(join(folder, localPaths.policy), formatPolicy({ logs, receipts }));
  // The uploads above are not in the log, so the audit says that not everything was checked.
  for (const more of [[], ['--no-bodies']]) lines.push(measure(['tlog', 'audit', ...more], { expected: 5 }));
  lines.push(measure(withOrders), measure(withOrders));
  await fill(fixtures.full, ENTRIES, ENTRIES + NEW_ENTRIES, Date.now);
  await sleep(2 * log.lagMs);
  await sequence();
  lines.push(
    measure(withOrders, { note: `, with ${NEW_ENTRIES} new entries` }),
    measure([...withOrders, '--no-sync']),
    measure(['report']),
    measure(['logs', 'export', '-o', 'logs.jsonl']),
    // No key signed the entries.
    measure(['logs', 'verify'], { expected: 1 }),
  );
  lines.push('', `The export has a size of ${Math.round(statSync(join(folder, 'logs.jsonl')).size / 2 ** 20)} MiB.`);
  rmSync(folder, { recursive: true });
  if (median(full) > 2 * median(empty)) process.exitCode = 1;
  return lines;
}
