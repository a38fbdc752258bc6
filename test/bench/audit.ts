/**
 * `npm run bench:audit [entries]`: measures time, CPU time and memory of `ailog tlog audit` on a table with that many entries
 * (default: a million) and their log, and of the audit of the log alone. Beside each stands its floor: a process that only
 * reads the same table or files.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';
import { createTables } from '../../cli/local/createTables.ts';
import { localSigner } from '../../cli/local/sequenceKeys.ts';
import {
  KEY_FILE,
  LOCAL_FOLDER,
  LOCAL_ORIGIN,
  localIdentity,
  localTables,
  TLOG_FOLDER,
} from '../../cli/target/data.ts';
import { startEngine } from '../../cli/target/engine.ts';
import { composeEntry, type Entry, entryIdOf } from '../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT } from '../../functions/c2sp/hashing.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { BATCH } from '../../functions/sequencer/append.ts';
import { checkpointPath, stagingPath } from '../../functions/sequencer/storage.ts';
import { arrivalKeys, parseArrival } from '../../functions/tlog/arrival.ts';
import { keyPreimage, leafOf } from '../../functions/tlog/leaf.ts';
import { logOf, SIZES } from './handler.ts';

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(ENTRIES) || ENTRIES < 1000) {
  console.error(`The number of entries must be an integer of at least 1000, not "${process.argv[2]}".`);
  process.exit(1);
}

/** The time of the first entry. They come ten a second. */
const START = 1_763_000_000_000;

const engine = await startEngine();
process.env.DYNAMODB_ENDPOINT = engine.endpoint;
const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity });
const db = DynamoDBDocumentClient.from(client);
await createTables(client, localTables);
const folder = mkdtempSync(join(tmpdir(), 'ailog-audit-bench-'));
mkdirSync(join(folder, LOCAL_FOLDER));
writeFileSync(join(folder, KEY_FILE), randomBytes(32).toString('hex'), { mode: 0o600 });

const rawBody = Buffer.from(JSON.stringify({ ...JSON.parse(logOf(SIZES['1.5 KB'])), orderId: '1' }));
const received = { accessKey: 'ailog_audit', locale: 'en-US', sourceIp: '192.0.2.1', query: '', rawBody };
const sample = composeEntry(JSON.parse(rawBody.toString()), {
  ...received,
  uid: '1',
  timestamp: '0',
  signature: '',
  receivedAt: START,
});

/** Returns an entry of the table. */
function entryOf(number: number): Entry {
  const receivedAt = START + number * 100;
  const timestamp = String(receivedAt);
  const signature = createHash('sha256').update(timestamp).digest('base64');
  const uid = String(5_000_000 + (number % 500));
  const entry = { ...sample, uid, receivedAt, timestamp, signature };
  const named = { ...entry, entryId: entryIdOf(entry) };
  return { ...named, ...arrivalKeys(named) };
}

async function store(entries: readonly Entry[]): Promise<void> {
  const requests = entries.map((Item) => ({ PutRequest: { Item } }));
  let RequestItems: BatchWriteCommandInput['RequestItems'] = { [localTables.aiLogs]: requests };
  while (RequestItems && Object.keys(RequestItems).length > 0) {
    RequestItems = (await db.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems;
  }
}

const signer = localSigner(join(folder, KEY_FILE), LOCAL_ORIGIN);
const key = formatVerifierKey(signer.key);
const write = (path: string, bytes: string | Uint8Array) => {
  const file = join(folder, TLOG_FOLDER, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
};

const begin = performance.now();
let edge = EMPTY_EDGE;
let head = { size: 0, root: EMPTY_ROOT as Uint8Array, fromSize: 0, fromRoot: EMPTY_ROOT as Uint8Array };
for (let first = 0; first < ENTRIES; first += BATCH) {
  const leaves: Buffer[] = first === 0 ? [leafOf(keyPreimage(key))] : [];
  const count = Math.min(BATCH, ENTRIES - first);
  for (let start = first; start < first + count; start += 100) {
    const entries = Array.from({ length: Math.min(100, first + count - start) }, (_, at) => entryOf(start + at));
    for (const { arrival } of entries) leaves.push(parseArrival(arrival)?.leaf as Buffer);
    await Promise.all(
      [0, 25, 50, 75]
        .map((at) => entries.slice(at, at + 25))
        .filter(({ length }) => length > 0)
        .map(store),
    );
  }
  const appended = appendEntries(edge, leaves);
  edge = appended.edge;
  head = { size: edge.size, root: rootOfEdge(edge), fromSize: head.size, fromRoot: head.root };
  for (const { path, bytes } of appended.files) write(path, bytes);
  write(stagingPath(head), Buffer.concat(leaves));
  const text = formatCheckpoint({ origin: LOCAL_ORIGIN, ...head });
  const signed = await signNote(text, [signer], AbortSignal.timeout(1000));
  write(checkpointPath(head.size), signed);
  write('checkpoint', signed);
}
const cursor = START + ENTRIES * 100;
const NEVER = { begunAt: 0, doneAt: 0 };
const item = {
  id: 'head',
  version: 1,
  claim: 'c',
  writtenAt: cursor,
  ...head,
  cursor,
  keys: [key],
  marks: [],
  hourly: NEVER,
  daily: NEVER,
};
await db.send(new PutCommand({ TableName: localTables.tlog, Item: item }));
writeFileSync(join(folder, 'tlog.policy'), `log ${key}\nquorum none\n`);
console.log(`${ENTRIES} entries and their log, stored in ${Math.round((performance.now() - begin) / 1000)} s\n`);

/** Prints time, CPU time and memory of a program, which must succeed */
function measure(name: string, program: string, ...words: string[]): void {
  const hook =
    'process.on("exit", () => { const { maxRSS, userCPUTime: u, systemCPUTime: s } = process.resourceUsage(); console.error("peak", maxRSS, u + s) })';
  const start = performance.now();
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${hook}`, path, ...words],
    { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 30 },
  );
  if (status !== 0) throw new Error(`${name}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  const seconds = (performance.now() - start) / 1000;
  const [, kilobytes, microseconds] = /peak (\d+) (\d+)/.exec(stderr) ?? [];
  const cpu = Number(microseconds) / 1e6;
  console.log(
    `| ${name} | ${seconds.toFixed(0)} s | ${cpu.toFixed(1)} s | ${Math.round(Number(kilobytes) / 1024)} MiB |`,
  );
}

console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}\n`);
console.log('| command | time | its CPU time | peak memory |\n|---|---|---|---|');
const [MAIN, BARE] = ['../../cli/main.ts', './bareReads.ts'];
const LOG = ['--log', TLOG_FOLDER, '--policy', 'tlog.policy'];
measure('bare read of the files', BARE, 'files', TLOG_FOLDER);
measure('`ailog tlog audit --log`', MAIN, 'tlog', 'audit', ...LOG);
measure('bare scan of the table', BARE, 'table', engine.endpoint, localTables.aiLogs);
measure('`ailog tlog audit`', MAIN, 'tlog', 'audit');
measure('`ailog tlog audit --no-bodies`', MAIN, 'tlog', 'audit', '--no-bodies');
rmSync(folder, { recursive: true });
client.destroy();
await engine.stop();
process.exit();
