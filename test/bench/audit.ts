/**
 * `npm run bench audit`: measures time, CPU time and memory of `ailog tlog audit` on a table with `BENCH_ENTRIES`
 * entries (default: a million) and their log, and of the audit of the log alone. Beside each stands its floor: a
 * process that only reads the same table or files.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTables } from '../../cli/local/localData.ts';
import { localRunOptions } from '../../cli/local/sequence.ts';
import { localSigner } from '../../cli/local/sequenceKeys.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN, localIdentity, localPaths, localTables } from '../../cli/store/targets/data.ts';
import { composeEntry, type Entry, entryIdOf } from '../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { formatPolicy } from '../../functions/c2sp/policy.ts';
import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { ensureReceiptKey } from '../../functions/sequencer/receiptKeys.ts';
import { arrivalKeys, parseArrival } from '../../functions/tlog/arrival.ts';
import { formatCommit } from '../../functions/tlog/commit.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { received } from '../ailog/received.ts';
import { ENTRIES, requireEntries, storeItems } from './entries.ts';
import { logOf, SIZES } from './handler.ts';
import { measureProgram, PROGRAM_HEAD } from './measureProgram.ts';

/** The time of the first entry. They come ten a second. */
const START = 1_763_000_000_000;
const MINUTE_ENTRIES = 600;
const timeOf = (number: number) => START + number * 100;

const rawBody = Buffer.from(JSON.stringify({ ...JSON.parse(logOf(SIZES['1.5 KB'])), orderId: '1' }));
const sample = composeEntry(JSON.parse(rawBody.toString()), { ...received, rawBody });

/** Returns an entry of the table. */
function entryOf(number: number): Entry {
  const receivedAt = timeOf(number);
  const timestamp = String(receivedAt);
  const signature = createHash('sha256').update(timestamp).digest('base64');
  const uid = String(5_000_000 + (number % 500));
  const entry = { ...sample, uid, receivedAt, timestamp, signature };
  const named = { ...entry, entryId: entryIdOf(entry) };
  return { ...named, ...arrivalKeys(named) };
}

/** Fills the table, and a folder with the log of its entries, as a sequencer writes it that runs every minute. */
async function fill(folder: string, db: DynamoDBDocumentClient): Promise<void> {
  const keyFile = join(folder, localPaths.key);
  const signer = localSigner(keyFile, LOCAL_ORIGIN);
  const never = new AbortController().signal;
  const log = localRunOptions({ db, tables: localTables, folder: join(folder, localPaths.tlog), keyFile });
  const receipts = [await ensureReceiptKey(log, 1, never)];
  const write = (path: string, bytes: string | Uint8Array, time?: number) => {
    const file = join(folder, localPaths.tlog, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    if (time !== undefined) utimesSync(file, time / 1000, time / 1000);
  };

  let edge = EMPTY_EDGE;
  for (let n = 1; (n - 1) * MINUTE_ENTRIES < ENTRIES; n += 1) {
    const start = (n - 1) * MINUTE_ENTRIES;
    const count = Math.min(MINUTE_ENTRIES, ENTRIES - start);
    const rows = Array.from({ length: count }, (_, at) => entryOf(start + at));
    await storeItems(db, localTables.aiLogs, count, (at) => rows[at] as Entry);
    const entries = rows.map(({ arrival }) => parseArrival(arrival)?.entryHash as Buffer).sort(Buffer.compare);
    const time = timeOf(start + count);
    const from = { size: edge.size, root: rootOfEdge(edge) };
    const appended = appendEntries(edge, entries);
    edge = appended.edge;
    const to = { size: edge.size, root: rootOfEdge(edge) };
    for (const { path, bytes } of appended.files) write(path, bytes);
    const times = { time, cursor: time, looked: START, retentionDays: 0 };
    write(commitPath(n), formatCommit({ origin: LOCAL_ORIGIN, n, ...times, from, to, entries }), time);
    const signed = await signNote(formatCheckpoint({ origin: LOCAL_ORIGIN, ...to }), [signer], never);
    for (const path of [checkpointPath(n), 'checkpoint']) write(path, signed, time);
  }
  const policy = formatPolicy({ logs: [formatVerifierKey(signer.key)], receipts });
  for (const path of ['tlog.policy', localPaths.policy]) writeFileSync(join(folder, path), policy);
}

/** Measures the audit of a table with many entries and of their log, beside processes that only read them. */
export async function measureAudit(): Promise<string[]> {
  requireEntries();
  const endpoint = process.env.DYNAMODB_ENDPOINT as string;
  const client = new DynamoDBClient({ endpoint, ...localIdentity });
  await createTables(client, localTables);
  const folder = mkdtempSync(join(tmpdir(), 'ailog-audit-bench-'));
  mkdirSync(join(folder, LOCAL_FOLDER));
  writeFileSync(join(folder, localPaths.key), randomBytes(32).toString('hex'), { mode: 0o600 });
  const begin = performance.now();
  await fill(folder, DynamoDBDocumentClient.from(client));
  const seconds = Math.round((performance.now() - begin) / 1000);
  const measure = (name: string, path: string, ...args: string[]) =>
    // An audit without the bodies says that not everything was checked.
    measureProgram(name, { folder, path, args, expected: args.includes('--no-bodies') ? 5 : 0 });
  const [MAIN, BARE] = ['../../cli/main.ts', './bareReads.ts'];
  const lines = [
    '### Audit of the transparency log',
    '',
    `${ENTRIES} entries and their log, stored in ${seconds} s; load of the machine: ${loadavg()[0]?.toFixed(1)}`,
    '',
    ...PROGRAM_HEAD,
    measure('bare read of the files', BARE, 'files', localPaths.tlog),
    measure('`ailog tlog audit --log`', MAIN, 'tlog', 'audit', '--log', localPaths.tlog, '--policy', 'tlog.policy'),
    measure('bare scan of the table', BARE, 'table', endpoint, localTables.aiLogs),
    measure('`ailog tlog audit`', MAIN, 'tlog', 'audit'),
    measure('`ailog tlog audit --no-bodies`', MAIN, 'tlog', 'audit', '--no-bodies'),
  ];
  rmSync(folder, { recursive: true });
  client.destroy();
  return lines;
}
