import { hash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Entry, entryIdOf } from '../../../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../../../functions/c2sp/note.ts';
import { rootOfEdge } from '../../../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { FatalError } from '../../../../functions/sequencer/fatalError.ts';
import { arrivalKeys, arrivalKeysOf } from '../../../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../../../functions/tlog/entryHash.ts';
import type { Head, LoggedKey, Mark, ReceiptKeys } from '../../../../functions/tlog/tlogTable.ts';
import { newSigner } from '../../../c2sp/keys.ts';
import { entriesOf, memoryLog } from '../../../c2sp/trees.ts';
import { noteArrival } from '../../../sequencer/logFixture.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { inProcess } from '../../../setup/transports.ts';
import { aiLog, jsonOf, logText, signedUpload } from '../../../setup/upload.ts';
import { openAuditFixture, RETENTION, START } from './auditFixture.ts';

/**
 * What somebody can do who writes the tables or the bucket, and has no key and no right on a function: every tampering
 * is named by a command or stops the log, but for those that docs/threats.md lists.
 */
const local = await openAuditFixture();
afterAll(() => local.engine.stop());
const { db, names } = local.fixture;
const key = { createdAt: '2025-01-01T00:00:00.000Z' };
const teams = [await local.fixture.team({ key }), await local.fixture.team({ key })] as const;
const [team] = teams;
const receipts: string[] = [];
/** Brings back what the log was in the middle of the uploads. */
let restoreEarlier = async (): Promise<void> => undefined;
const itemsOf = async (TableName: string) =>
  (await db.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items ?? [];
const keyOf = (TableName: string, item: Record<string, unknown>) =>
  TableName === names.tlog ? { id: item.id } : { uid: item.uid, entryId: item.entryId };
const putIn = (TableName: string, item: object) => {
  const given = Object.entries(item).filter(([, value]) => value !== undefined);
  return db.send(new PutCommand({ TableName, Item: Object.fromEntries(given) }));
};
const removeFrom = (TableName: string, item: object) =>
  db.send(new DeleteCommand({ TableName, Key: keyOf(TableName, item as Record<string, unknown>) }));

/** Keeps tables and files as they are. @returns what brings them back, and the time of the clock */
async function keepState(name: string): Promise<() => Promise<void>> {
  const tables = [names.aiLogs, names.tlog];
  const items = await Promise.all(tables.map(itemsOf));
  const now = local.clock.now();
  const folder = join(local.folder, `kept-${name}`);
  cpSync(local.log, folder, { recursive: true, preserveTimestamps: true });
  return async () => {
    for (const [at, table] of tables.entries()) {
      for (const item of await itemsOf(table)) await removeFrom(table, item);
      for (const item of items[at] ?? []) await putIn(table, item);
    }
    rmSync(local.log, { recursive: true });
    cpSync(folder, local.log, { recursive: true, preserveTimestamps: true });
    local.clock.advance(now - local.clock.now());
  };
}
await local.run();
for (let round = 0; round < 6; round += 1) {
  for (const by of teams) {
    local.clock.advance(MINUTE_MS / 4);
    const number = String(receipts.length + 1);
    receipts.push(await local.upload(by, { orderId: number, explanation: `number ${number}` }));
  }
  await local.publish();
  if (round === 3) restoreEarlier = await keepState('earlier');
  local.clock.advance(20 * MINUTE_MS);
  await local.run();
}
const entries = await local.entries(teams);
await local.ailog(['tlog', 'export-policy', '-o', 'trusted.policy']);
const kept = local.file('kept', readFileSync(join(local.log, 'checkpoint')));
const restore = await keepState('whole');
afterEach(restore);

/** An entry in the middle of the log, and another one of its team. */
const logged = entries[4] as Entry;
const other = entries[6] as Entry;
const put = (row: object) => putIn(names.aiLogs, row);
const remove = (row: object) => removeFrom(names.aiLogs, row);
const edit = (change: object, entry = logged) => put({ ...entry, ...change });
const itemOf = async <Item>(id: string) => (await itemsOf(names.tlog)).find((item) => item.id === id) as Item;
const head = async (change: (item: Head) => object) => {
  const item = await itemOf<Head>('head');
  await putIn(names.tlog, { ...item, ...change(item) });
};
const marks = (change: (mark: Mark, at: number) => object) =>
  head((item) => ({ marks: item.marks.map((mark, at) => ({ ...mark, ...change(mark, at) })) }));
const receiptKeys = async (change: (item: ReceiptKeys) => object) => {
  const item = await itemOf<ReceiptKeys>('receipt-keys');
  await putIn(names.tlog, { ...item, ...change(item) });
};
const planted = (at = local.clock.now()) => ({
  verifierKey: formatVerifierKey(newSigner('localhost/ailog/receipts').key),
  createdAt: new Date(at).toISOString(),
  sealedPrivateKey: Buffer.from('x'),
});
const inLog = (path: string) => join(local.log, path);
/** Changes a file of the log, which keeps its time. */
function file(path: string, change: (text: string) => string): void {
  const { atime, mtime } = statSync(inLog(path));
  writeFileSync(inLog(path), change(readFileSync(inLog(path), 'latin1')), 'latin1');
  utimesSync(inLog(path), atime, mtime);
}
const flip = (path: string) =>
  file(path, (text) => text.slice(0, 40) + String.fromCharCode(text.charCodeAt(40) ^ 1) + text.slice(41));
const largest = (folder: string) => {
  const found = readdirSync(inLog(folder), { withFileTypes: true }).filter((one) => one.isDirectory());
  const [partial = ''] = found.map(({ name }) => name).filter((name) => name.endsWith('.p'));
  const widths = readdirSync(inLog(`${folder}/${partial}`)).sort((one, two) => Number(two) - Number(one));
  return `${folder}/${partial}/${widths[0]}`;
};
const sizes = readdirSync(inLog('checkpoints'))
  .map(Number)
  .sort((one, two) => one - two);
const before = sizes.at(-2) as number;

/** A row that no service has received, with everything that follows from it. */
function forged(receivedAt: number, change: Partial<Entry> = {}): Entry {
  const signed = { ...logged, timestamp: String(receivedAt), signature: 'Zm9yZ2Vk', ...change };
  const expiresAt = Math.ceil(receivedAt / 1000) + RETENTION * 86_400;
  const row = { ...signed, entryId: entryIdOf(signed), receivedAt, expiresAt };
  return { ...row, ...arrivalKeys(row) };
}
const insert = (receivedAt: number) => {
  noteArrival(names.aiLogs, receivedAt);
  return put(forged(receivedAt));
};

/** The conditions at which the sequencer stopped. */
const stops: string[] = [];
const run = async (after = MINUTE_MS) => {
  local.clock.advance(after);
  await local.run().catch((error) => {
    if (!(error instanceof FatalError)) throw error;
    stops.push(error.condition);
  });
};
let uploads = 0;
/** Uploads a log that no other test has uploaded: the function knows those. @returns its receipt */
const upload = () => {
  uploads += 1;
  return local.upload(team, { explanation: `changed ${uploads}` });
};
/** Uploads a log to a function that knows no key yet. @returns the headers of its answer */
const uploadCold = async () => {
  const now = local.clock.now;
  const request = signedUpload(team, { timestamp: now, body: jsonOf({ ...aiLog, explanation: 'cold' }) });
  const { status, headers } = await inProcess(local.fixture.dependencies({ now })).send(request);
  expect(status).toBe(200);
  return headers;
};
/** Lets somebody change the row of an upload before the log has it. @returns its receipt */
async function uploadAnd(change: (entry: Entry) => Promise<unknown>): Promise<string> {
  const had = new Set(entries.map(({ entryId }) => entryId));
  const receipt = await upload();
  const entry = (await local.entries(teams)).find(({ entryId }) => !had.has(entryId)) as Entry;
  await change(entry);
  await run();
  await run(15 * MINUTE_MS);
  return receipt;
}
const BODY = Buffer.from(logText({ stage: 's', model: 'm', explanation: 'forged' }));

/**
 * `named`: the kind of a finding of the audit; `receipt:` that of an audit with the receipt that the change returns;
 * `stops:` the condition that stops the log; `asks`: the audit asks about the key; `verify`: `ailog logs verify` fails;
 * `no receipt`: an upload to a new instance of the function gets none, which is an alarm
 */
type Tampering = readonly [name: string, named: string, tamper: () => unknown];

// biome-ignore format: one case a line
const ROWS: readonly Tampering[] = [
  ['the UID of a row', 'edited', async () => { await remove(logged); await edit({ uid: teams.find(({ uid }) => uid !== logged.uid)?.uid }); }],
  ['the id of a row', 'edited', async () => { await remove(logged); await edit({ entryId: `${logged.timestamp}-${'0'.repeat(32)}` }); }],
  ['its time of receipt', 'edited', () => edit({ receivedAt: logged.receivedAt - 1 })],
  ['its access key', 'edited', () => edit({ accessKey: 'ailog_x' })],
  ['its timestamp', 'edited', () => edit({ timestamp: String(Number(logged.timestamp) - 1) })],
  ['its signature', 'edited', () => edit({ signature: 'b3RoZXI=' })],
  ['its query', 'edited', () => edit({ query: 'a=1' })],
  ['its locale', 'edited', () => edit({ locale: 'zh-CN' })],
  ['its address', 'edited', () => edit({ sourceIp: '198.51.100.7' })],
  ['its digest', 'edited', () => edit({ bodySha256: 'ab'.repeat(32) })],
  ['its length', 'edited', () => edit({ bodyBytes: 1 })],
  ['its locale with the arrival attributes of that', 'unlogged', () => edit({ locale: 'zh-CN', ...arrivalKeys({ ...logged, locale: 'zh-CN' }) })],
  ['its body', 'body', () => edit({ body: zstdCompressSync(BODY) })],
  ['its body, cut off', 'body', () => edit({ body: logged.body.subarray(0, -1) })],
  ['its body with all that follows from it', 'edited', () => edit({ body: zstdCompressSync(BODY), bodySha256: hash('sha256', BODY), bodyBytes: BODY.length, stage: 's', model: 'm', orderId: undefined })],
  ['its stage', 'copies', () => edit({ stage: 'x' })],
  ['its model', 'copies', () => edit({ model: 'x' })],
  ['its order id', 'copies', () => edit({ orderId: 7n })],
  ['no order id', 'copies', () => edit({ orderId: undefined })],
  ['an attribute more', 'copies', () => edit({ verdict: 'human' })],
  ['an earlier expiry', 'expiry', () => edit({ expiresAt: (logged.expiresAt ?? 0) - 86_400 })],
  ['no expiry', 'expiry', () => edit({ expiresAt: undefined })],
  ['no slot', 'arrival', () => edit({ slot: undefined })],
  ['another slot', 'arrival', () => edit({ slot: other.slot })],
  ['no arrival attribute', 'arrival', () => edit({ arrival: undefined })],
  ['the arrival attributes of two rows exchanged', 'arrival', async () => { await edit({ slot: other.slot, arrival: other.arrival }); await edit({ slot: logged.slot, arrival: logged.arrival }, other); }],
  ['no time of receipt', 'edited', () => edit({ receivedAt: undefined })],
  ['a time of receipt that is a text', 'edited', () => edit({ receivedAt: 'x' })],
  ['a row removed', 'removed', () => remove(logged)],
  ['all rows of a team removed', 'removed', () => Promise.all(entries.filter(({ uid }) => uid === logged.uid).map(remove))],
  ['two rows exchanged', 'edited', async () => { await edit({ entryId: other.entryId }); await edit({ entryId: logged.entryId }, other); }],
  ['a row removed, and its place claimed by another', 'removed', async () => { await remove(other); await edit({ slot: other.slot, arrival: other.arrival }); }],
  ['a copy of a row under another id', 'unlogged', () => edit({ entryId: `${logged.timestamp}-${'1'.repeat(32)}` })],
  ['a row inserted among old ones', 'unlogged', () => put(forged(START + HOUR_MS))],
  ['a row inserted before the log began', 'unlogged', () => put(forged(START - HOUR_MS))],
  ['a row inserted, dated into the future', 'unlogged', () => put(forged(Date.now() + HOUR_MS))],
  ['a row inserted within the last ten minutes', 'late', () => put(forged(local.clock.now() - 6 * MINUTE_MS))],
  ['a row inserted within the last ten minutes, and logged', 'verify', async () => { await insert(local.clock.now()); await run(); }],
  ['a row inserted, dated into a standstill of the log', 'overdue', async () => { local.clock.advance(3 * HOUR_MS); await insert(local.clock.now() - 2.7 * HOUR_MS); await run(); }],
  ['a row inserted two days late, for the second look', 'late', async () => { await insert(local.clock.now() - HOUR_MS); for (let step = 0; step < 10; step += 1) await run(5.3 * HOUR_MS); }],
  ['a row logged by the arrival attributes of another time', 'late', async () => { const row = forged(local.clock.now() - HOUR_MS); const now = local.clock.now(); noteArrival(names.aiLogs, now); await put({ ...row, ...arrivalKeysOf(now, entryHashOf(entryPreimage(row))) }); await run(); await put(row); }],
  ['a row removed before the log has it', 'receipt: promised', () => uploadAnd(remove)],
  ['a row without a slot, so that the log never has it', 'unlogged', () => uploadAnd((entry) => put({ ...entry, slot: undefined, arrival: undefined }))],
  ['a row edited before the log has it', 'edited', () => uploadAnd((entry) => put({ ...entry, locale: 'zh-CN' }))],
  ['a row edited with its arrival attributes before the log has it', 'receipt: promised', () => uploadAnd((entry) => put({ ...entry, locale: 'zh-CN', ...arrivalKeys({ ...entry, locale: 'zh-CN' }) }))],
  ['a row hidden for an hour', 'late', async () => { let hidden: Entry | undefined; await uploadAnd(async (entry) => { hidden = entry; await remove(entry); }); await run(HOUR_MS); await put(hidden as Entry); local.clock.advance(50 * HOUR_MS); await run(); }],
  ['a row announces a key', 'key', async () => { const row = forged(local.clock.now()); noteArrival(names.aiLogs, row.receivedAt); await put({ ...row, ...arrivalKeysOf(row.receivedAt, Buffer.alloc(32)) }); await run(); await head(({ keys, size }) => ({ keys: [...keys, { key: planted().verifierKey, index: size, size: size + 1 }] })); }],
];

// biome-ignore format: one case a line
const TLOG: readonly Tampering[] = [
  ['no head', 'head', () => removeFrom(names.tlog, { id: 'head' })],
  ['no head, and a run', 'stops: storage-ahead', async () => { await removeFrom(names.tlog, { id: 'head' }); await run(); }],
  ['a larger head', 'head', () => head(({ size, root }) => ({ size: size + 5, fromSize: size, fromRoot: root }))],
  ['a head that was rolled back', 'head', () => head(({ fromSize, fromRoot }) => ({ size: fromSize, root: fromRoot }))],
  ['a head that was rolled back, and a run', 'stops: storage-ahead', async () => { await head(({ fromSize, fromRoot }) => ({ size: fromSize, root: fromRoot, fromSize: 0 })); await run(); }],
  ['another root', 'head', () => head(() => ({ root: Buffer.alloc(32) }))],
  ['another size before', 'head', () => head(({ fromSize }) => ({ fromSize: fromSize - 1 }))],
  ['another root before', 'head', () => head(() => ({ fromRoot: Buffer.alloc(32) }))],
  ['an earlier cursor', 'head', () => head(({ cursor }) => ({ cursor: cursor - HOUR_MS }))],
  ['a later cursor', 'head', () => head(({ cursor }) => ({ cursor: cursor + 3 * HOUR_MS }))],
  ['a later cursor, and a run', 'stops: clock-moved-back', async () => { await head(({ cursor }) => ({ cursor: cursor + 3 * HOUR_MS })); await run(); }],
  ['a later time of the write, and a run', 'stops: clock-moved-back', async () => { await head(({ writtenAt }) => ({ writtenAt: writtenAt + 3 * HOUR_MS })); await run(); }],
  ['an earlier time of the write', 'head', () => head(({ writtenAt }) => ({ writtenAt: writtenAt - 3 * HOUR_MS }))],
  ['a second look that is done too early', 'head', () => head(({ cursor }) => ({ looked: cursor - HOUR_MS }))],
  ['a time from which to read again', 'head', () => head(({ cursor }) => ({ readAgainFrom: cursor - HOUR_MS }))],
  ['no keys', 'key', () => head(() => ({ keys: [] }))],
  ['no keys once', 'key', async () => { await head(() => ({ keys: [] })); await run(); }],
  ['a receipt key removed', 'key', () => head(({ keys }) => ({ keys: keys.slice(0, 1) }))],
  ['a key twice', 'head', () => head(({ keys }) => ({ keys: [...keys, ...keys] }))],
  ['a key more', 'key', () => head(({ keys }) => ({ keys: [...keys, { ...(keys[0] as LoggedKey), key: planted().verifierKey }] }))],
  ['a key of another log', 'key', () => head(({ keys }) => ({ keys: [...keys, { ...(keys[0] as LoggedKey), key: formatVerifierKey(newSigner('other.example/log').key) }] }))],
  ['a key at another index', 'key', () => head(({ keys }) => ({ keys: keys.map((one, at) => (at === 1 ? { ...one, index: 0 } : one)) }))],
  ['a key under a later checkpoint', 'key', () => head(({ keys }) => ({ keys: keys.map((one, at) => (at === 1 ? { ...one, size: 4 } : one)) }))],
  ['another retention', 'head', () => head(() => ({ retentionDays: 1 }))],
  ['no marks', 'head', () => head(() => ({ marks: [] }))],
  ['a later mark', 'head', () => marks(({ cursor }, at) => (at === 3 ? { cursor: cursor + 2 * HOUR_MS } : {}))],
  ['an earlier mark', 'head', () => marks(({ cursor }, at) => (at === 3 ? { cursor: cursor - 2 * HOUR_MS } : {}))],
  ['the sizes of two marks exchanged', 'head', () => head((item) => ({ marks: item.marks.map((mark, at) => ({ ...mark, size: (item.marks[at === 2 ? 3 : at === 3 ? 2 : at] ?? mark).size })) }))],
  ['a mark of a size that was never published', 'head', () => marks(({ size }, at) => (at === 3 ? { size: size + 1 } : {}))],
  ['an attribute more in the head', 'head', () => head(() => ({ more: 1 }))],
  ['an attribute of another type', 'head', () => head(() => ({ cursor: 'x' }))],
  ['a receipt key planted among the previous ones', 'key', () => receiptKeys(({ previous }) => ({ previous: [...previous, planted()] }))],
  ['a receipt key planted, and a run', 'key', async () => { await receiptKeys(({ previous }) => ({ previous: [...previous, planted()] })); await run(); }],
  ['a receipt key planted, the log stopped by its clock, and a row dated back', 'overdue', async () => { await receiptKeys(({ previous }) => ({ previous: [...previous, planted()] })); await run(); await head(({ writtenAt }) => ({ writtenAt: writtenAt + 3 * HOUR_MS })); await run(170 * MINUTE_MS); await insert(local.clock.now() - 161 * MINUTE_MS); await run(15 * MINUTE_MS); }],
  ['the current receipt key replaced', 'key', () => receiptKeys(() => ({ current: planted() }))],
  ['the private half of the receipt key', 'no receipt', () => receiptKeys(({ current }) => ({ current: { ...current, sealedPrivateKey: Buffer.from('x') } }))],
  ['no current receipt key', 'head', () => receiptKeys(() => ({ current: undefined }))],
  ['no item receipt-keys', 'head', () => removeFrom(names.tlog, { id: 'receipt-keys' })],
  ['a next receipt key planted, and a run', 'asks', async () => { await receiptKeys(() => ({ next: { ...planted(START), startsAt: 0, requestId: 'x', requestedBy: 'x' } })); await run(10 * MINUTE_MS); }],
  ['a rotation of the receipt key requested by somebody else', 'asks', async () => { await receiptKeys(() => ({ requested: { id: 'x', at: key.createdAt, by: 'x', startsAt: 0 } })); await run(); }],
];

const rogue = async (size: number) => {
  const tree = memoryLog();
  tree.append(entriesOf(size));
  const text = formatCheckpoint({ origin: 'localhost/ailog', size, root: rootOfEdge(tree.edge()) });
  return signNote(text, [newSigner('localhost/ailog')], AbortSignal.timeout(1000));
};

// biome-ignore format: one case a line
const BUCKET: readonly Tampering[] = [
  ['no newest checkpoint', 'checkpoint', () => rmSync(inLog('checkpoint'))],
  ['no newest checkpoint, and a run', 'stops: storage-behind', async () => { rmSync(inLog('checkpoint')); await run(); }],
  ['an older checkpoint put back', 'checkpoint', () => file('checkpoint', () => readFileSync(inLog(`checkpoints/${before}`), 'latin1'))],
  ['another size in the newest checkpoint', 'checkpoint', () => file('checkpoint', (text) => text.replace(/\n\d+\n/, '\n3\n'))],
  ['no signature under the newest checkpoint', 'checkpoint', () => file('checkpoint', (text) => text.slice(0, text.lastIndexOf('\n\n') + 2))],
  ['a newest checkpoint that another key signed', 'checkpoint', async () => { const signed = await rogue(99); file('checkpoint', () => Buffer.from(signed).toString('latin1')); }],
  ['an earlier checkpoint changed', 'checkpoint', () => flip(`checkpoints/${before}`)],
  ['an earlier checkpoint removed', 'checkpoint', () => rmSync(inLog(`checkpoints/${before}`))],
  ['an earlier checkpoint of another key', 'checkpoint', async () => { const signed = await rogue(before); file(`checkpoints/${before}`, () => Buffer.from(signed).toString('latin1')); }],
  ['an earlier checkpoint stored again', 'checkpoint', () => writeFileSync(inLog(`checkpoints/${before}`), readFileSync(inLog(`checkpoints/${before}`)))],
  ['a checkpoint of a size that the log never had', 'checkpoint', () => cpSync(inLog(`checkpoints/${before}`), inLog(`checkpoints/${before + 1}`))],
  ['a checkpoint of a larger log', 'file', () => cpSync(inLog(`checkpoints/${before}`), inLog('checkpoints/999'))],
  ['an entry of the newest bundle changed', 'bundle', () => flip(largest('tile/entries'))],
  ['the newest bundle removed', 'bundle', () => rmSync(inLog(largest('tile/entries')))],
  ['a hash of the newest tile changed', 'tile', () => flip(largest('tile/0'))],
  ['the newest tile removed', 'tile', () => rmSync(inLog(largest('tile/0')))],
  ['the newest tile changed, and a run with an upload', 'stops: root-differs', async () => { flip(largest('tile/0')); await upload(); await run(); }],
  ['an earlier bundle changed', 'bundle', () => flip(`tile/entries/000.p/${before}`)],
  ['an earlier tile changed', 'tile', () => flip(`tile/0/000.p/${before}`)],
  ['a bundle that the log has not', 'file', () => writeFileSync(inLog('tile/entries/000.p/200'), 'x')],
  ['a file that no log has', 'file', () => writeFileSync(inLog('notes.txt'), 'x')],
  ['a file where the next one belongs, and a run with an upload', 'stops: file-differs', async () => { writeFileSync(inLog(`tile/0/000.p/${(sizes.at(-1) ?? 0) + 1}`), 'x'); await upload(); await run(); }],
  ['hints removed', 'unchecked', () => rmSync(inLog('hints'), { recursive: true })],
  ['hints filled with garbage', 'unchecked', () => file('hints/2025-11-14', () => 'garbage\n')],
  ['half of the hints removed', 'unchecked', () => file('hints/2025-11-14', (text) => text.slice(0, text.indexOf('\n', text.length / 2) + 1))],
  ['hints that say that the log had come further', 'late', () => file('hints/2025-11-14', (text) => text.replace(/^\S+(?= 5 )/m, new Date(START + 5 * HOUR_MS).toISOString()))],
  ['everything rolled back to an earlier state, tables included', 'previous', () => restoreEarlier()],
];

/** What nothing names, in the words of docs/threats.md. */
const UNNAMED: Readonly<Record<string, () => unknown>> = {
  'An entry is removed before the log has it, and nobody shows its receipt.': () => uploadAnd(remove),
  'The locale or the address of an entry is changed, with its arrival attributes, before the log has it, and nobody shows its receipt.':
    () => uploadAnd((entry) => put({ ...entry, locale: 'zh-CN', ...arrivalKeys({ ...entry, locale: 'zh-CN' }) })),
  'What has no effect is changed: version, claim or a mark of the head, a clock of it within its bounds, an earlier `createdAt` of a receipt key, a batch that was staged and published.':
    async () => {
      await head(({ version, cursor, writtenAt, looked, marks: all }) => {
        const clocks = { cursor: cursor - 1, writtenAt: writtenAt + 1, looked: looked - 1 };
        return { ...clocks, version: version + 7, claim: 'x', marks: all.toSpliced(2, 1) };
      });
      await receiptKeys(({ current }) => ({ current: { ...current, createdAt: key.createdAt } }));
      for (const name of readdirSync(inLog('staging'))) writeFileSync(inLog(`staging/${name}`), 'x');
      await upload();
      await run();
    },
};

/** Audits with the policy and the checkpoint that somebody kept. */
async function audit(receipt?: unknown) {
  const known = typeof receipt === 'string' ? ['--known', local.file('receipt.txt', receipt)] : [];
  const ran = await local.audit(['--policy', 'trusted.policy', '--previous', kept, ...known]);
  if (ran.stdout === '') return [`failure: ${ran.stderr}`];
  const { findings, notChecked, laterReceiptKeys } = ran.result;
  return [
    ...findings.map(({ kind }) => kind as string),
    ...notChecked.map(() => 'unchecked'),
    ...laterReceiptKeys.map(() => 'asks'),
  ];
}

test('before any tampering, nothing is named', async () => {
  expect(await audit()).toEqual([]);
  expect(await local.ailog(['logs', 'verify'])).toMatchObject({ exitCode: 0 });
  await run();
  expect(stops).toEqual([]);
});

describe.each([
  ['a row', ROWS],
  ['an item of the table Tlog', TLOG],
  ['a file of the bucket', BUCKET],
])('%s: each tampering is named', (_where, tamperings) => {
  test.each(tamperings)('%s', async (_name, named, tamper) => {
    stops.length = 0;
    const returned = await tamper();
    if (named === 'verify') expect((await local.ailog(['logs', 'verify'])).exitCode).toBe(1);
    else if (named === 'no receipt') expect(await uploadCold()).not.toHaveProperty('ai-log-receipt');
    else if (named.startsWith('stops: ')) expect(stops).toContain(named.slice('stops: '.length));
    else
      expect(await audit(named.startsWith('receipt: ') ? returned : undefined)).toContain(
        named.replace('receipt: ', ''),
      );
  });
});

describe('nothing names that', () => {
  test.each(Object.entries(UNNAMED))('%s', async (_name, tamper) => {
    stops.length = 0;
    await tamper();
    expect([await audit(), stops]).toEqual([[], []]);
    expect(await local.ailog(['logs', 'verify'])).toMatchObject({ exitCode: 0 });
  });

  test('docs/threats.md lists these, and no others', () => {
    const text = readFileSync(new URL('../../../../docs/threats.md', import.meta.url), 'utf8');
    const [, list = ''] = /^### Tampering that nothing names\n\n(?:.+\n)+\n((?:[- ] .+\n)+)/m.exec(text) ?? [];
    const items = list.trim().replaceAll('\n  ', ' ').split('\n');
    expect(items.map((item) => item.slice(2))).toEqual(Object.keys(UNNAMED));
    const named = ROWS.length + TLOG.length + BUCKET.length;
    expect(text).toContain(`${named} of ${named + Object.keys(UNNAMED).length} tamperings`);
  });
});
