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
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { createTables } from '../../cli/local/localData.ts';
import { localReceiptKey, localSigner } from '../../cli/local/sequenceKeys.ts';
import { policyText } from '../../cli/proof/inclusion/trustedKeys.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN, localIdentity, localPaths, localTables } from '../../cli/store/targets/data.ts';
import { composeEntry, type Entry, entryIdOf } from '../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT } from '../../functions/c2sp/hashing.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { receiptKeyTable } from '../../functions/sequencer/receiptKeyTable.ts';
import { arrivalKeys, parseArrival } from '../../functions/tlog/arrival.ts';
import { entryHashOf, keyPreimage, retentionPreimage } from '../../functions/tlog/entryHash.ts';
import { firstHead } from '../../functions/tlog/head.ts';
import { checkpointPath, stagingPath } from '../../functions/tlog/paths.ts';
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
  const receiptKeys = receiptKeyTable(db, localTables.tlog, localReceiptKey(keyFile));
  const keys = [formatVerifierKey(signer.key), ...(await receiptKeys.ensure(LOCAL_ORIGIN, START, never))];
  const write = (path: string, bytes: string | Uint8Array, time?: number) => {
    const file = join(folder, localPaths.tlog, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    if (time !== undefined) utimesSync(file, time / 1000, time / 1000);
  };

  let edge = EMPTY_EDGE;
  let head = { size: 0, root: EMPTY_ROOT as Uint8Array, fromSize: 0, fromRoot: EMPTY_ROOT as Uint8Array };
  const append = async (leaves: readonly Buffer[], time: number) => {
    const appended = appendEntries(edge, leaves);
    edge = appended.edge;
    head = { size: edge.size, root: rootOfEdge(edge), fromSize: head.size, fromRoot: head.root };
    for (const { path, bytes } of appended.files) write(path, bytes);
    write(stagingPath(head), Buffer.concat(leaves));
    const signed = await signNote(formatCheckpoint({ origin: LOCAL_ORIGIN, ...head }), [signer], never);
    for (const path of [checkpointPath(head.size), 'checkpoint']) write(path, signed, time);
  };
  await append([...keys.map(keyPreimage), retentionPreimage(0)].map(entryHashOf), START);
  const first = head.size;
  for (let start = 0; start < ENTRIES; start += MINUTE_ENTRIES) {
    const count = Math.min(MINUTE_ENTRIES, ENTRIES - start);
    const entries = Array.from({ length: count }, (_, at) => entryOf(start + at));
    await storeItems(db, localTables.aiLogs, count, (at) => entries[at] as Entry);
    const leaves = entries.map(({ arrival }) => parseArrival(arrival)?.entryHash as Buffer);
    await append(leaves.sort(Buffer.compare), timeOf(start + count));
  }
  const cursor = timeOf(ENTRIES);
  const item = {
    ...firstHead(cursor, cursor),
    ...head,
    keys: keys.map((key, index) => ({ key, index, size: first })),
    retentionDays: 0,
    marks: [],
  };
  await db.send(new PutCommand({ TableName: localTables.tlog, Item: item }));
  writeFileSync(join(folder, 'tlog.policy'), policyText({ keys }));
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
