import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Kind } from '../../../../cli/proof/audit/findings.ts';
import { LOCAL_ORIGIN } from '../../../../cli/store/targets/data.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { type Signer, signNote } from '../../../../functions/c2sp/note.ts';
import { arrivalKeys } from '../../../../functions/tlog/arrival.ts';
import { parseCommit } from '../../../../functions/tlog/commit.ts';
import { formatReceiptKey, receiptKeyName } from '../../../../functions/tlog/receiptKeyNote.ts';
import { newSigner } from '../../../c2sp/keys.ts';
import { MINUTE_MS, noDeadline, openServedLog } from '../../../setup/world.ts';
import { type Audited, openAudited } from './audited.ts';

let log: Audited;
let rows: readonly Entry[];
let restore: () => Promise<void>;
/** A checkpoint and an export that somebody kept of the log as it was, and a receipt that was given for an entry. */
let checkpoint: string;
let exported: string;

beforeAll(async () => {
  log = await openAudited();
  const teams = [await log.team(), await log.team()] as const;
  for (let at = 0; at < 6; at += 1) {
    await log.upload({ explanation: `Reason ${at}` }, teams[at % 2]);
    if (at % 2 === 1) await log.sequence();
  }
  // The log comes past the time of these, and has another one after it.
  for (let at = 0; at < 3; at += 1) await log.sequence(10 * MINUTE_MS);
  await log.upload({}, teams[0]);
  await log.sequence();
  rows = (await log.rows()).sort((one, other) => one.receivedAt - other.receivedAt);
  checkpoint = log.file('kept', log.read('checkpoint'));
  const lines = rows.map((row) => JSON.stringify({ entry: preimageOf(row), body: null }));
  exported = log.file('export.jsonl', `${lines.join('\n')}\n`);
  restore = await log.keep();
});
afterEach(() => restore());

function preimageOf(row: Entry): string {
  const { uid, entryId, receivedAt, accessKey, timestamp, signature, query, locale, sourceIp } = row;
  const texts = [accessKey, timestamp, signature, query ?? '', locale ?? '', sourceIp ?? ''];
  return JSON.stringify([uid, entryId, receivedAt, ...texts, row.bodySha256, row.bodyBytes]);
}

const row = (at: number): Entry => rows[at] as Entry;

test('a log that nobody changed is consistent, with its tables, an export and a checkpoint', async () => {
  const { exitCode, findings, unchecked, ...counts } = await log.audit(['--known', exported, '--known', checkpoint]);
  expect([exitCode, findings, unchecked]).toEqual([0, [], []]);
  expect(counts).toMatchObject({ size: 7, rows: 7, logged: 7, pending: 0, expired: 0, duplicates: 0, known: 7 });
  const { stdout, stderr } = await log.ailog(['tlog', 'audit']);
  expect(stderr).toContain('The log is consistent, and so are the tables with it.');
  expect(stdout).toMatch(/^log +localhost\/ailog, entries: 7, root \S+\n/);
});

interface Tampering {
  readonly name: string;
  readonly change: () => Promise<unknown> | unknown;
  /** What the audit finds, and what it finds with an export and a checkpoint that somebody kept, if that is more. */
  readonly kinds: readonly Kind[];
  readonly withKnown?: readonly Kind[] | undefined;
  /** The entry, or the file, that must be named. */
  readonly names?: (() => string) | undefined;
}

const digestOf = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
const body = Buffer.from('{"explanation":"another one"}');
const withArrival = (entry: Entry): Entry => ({ ...entry, ...arrivalKeys(entry) });
const inserted = (change: Partial<Entry> = {}): Entry => {
  const other = { ...row(0), timestamp: String(Number(row(0).timestamp) + 1), ...change };
  const signed = JSON.stringify([other.accessKey, other.timestamp, other.signature]);
  return { ...other, entryId: `${other.timestamp}-${digestOf(Buffer.from(signed)).slice(0, 32)}` };
};

/** A change of rows. @param at the row whose entry must be named */
const ofRow = (name: string, kinds: readonly Kind[], change: () => Promise<unknown>, at?: number): Tampering => ({
  ...{ name, kinds, change, names: at === undefined ? undefined : () => row(at).entryId },
});
/** A change of the nth row that makes it another one to the log; only an export tells that it is the same. */
const asAnother = (name: string, at: number, change: () => Partial<Entry>): Tampering => ({
  ...ofRow(name, ['removed', 'unlogged'], () => log.put(withArrival({ ...row(at), ...change() })), at),
  withKnown: ['edited'],
});
const moved = async () => {
  await log.remove(row(3));
  await log.put({ ...row(3), uid: row(2).uid });
};
const datedBack = async () => {
  await log.put(withArrival(inserted({ receivedAt: log.clock.now() - 9 * MINUTE_MS })));
  await log.sequence(4 * MINUTE_MS);
};
const withBody = () => ({ ...row(1), body, bodySha256: digestOf(body), bodyBytes: body.length });
const earlier = (minutes: number) => row(0).receivedAt - minutes * MINUTE_MS;

const ROWS: readonly Tampering[] = [
  ofRow('its locale', ['edited'], () => log.put({ ...row(1), locale: 'de-DE' }), 1),
  ofRow('its IP address', ['edited'], () => log.put({ ...row(1), sourceIp: '192.0.2.9' })),
  ofRow('its signature', ['edited'], () => log.put({ ...row(1), signature: 'AAAA' })),
  ofRow('its body', ['damaged'], () => log.put({ ...row(1), body }), 1),
  ofRow('its body with the digest', ['damaged', 'edited'], () => log.put(withBody())),
  asAnother('its locale and its arrival keys', 1, () => ({ locale: 'de-DE' })),
  ofRow('its time of receipt, to an earlier one', ['edited'], () => log.put({ ...row(5), receivedAt: earlier(1) })),
  asAnother('its time of receipt and its arrival keys', 5, () => ({ receivedAt: earlier(20) })),
  ofRow('a copied field', ['damaged'], () => log.put({ ...row(2), model: 'another' })),
  ofRow('its expiry', ['damaged'], () => log.put({ ...row(2), expiresAt: 1 }), 2),
  ofRow('a new attribute', ['damaged'], () => log.put({ ...row(2), note: 'x' })),
  ofRow('its arrival keys, removed', ['damaged'], () => log.put({ ...row(2), slot: undefined, arrival: undefined })),
  ofRow('its arrival keys, of another row', ['damaged'], () => log.put({ ...row(2), arrival: row(3).arrival })),
  ofRow('the row, removed', ['removed'], () => log.remove(row(3))),
  {
    ...ofRow('the row, removed, and an export names it', ['removed'], () => log.remove(row(3)), 3),
    withKnown: ['removed'],
  },
  ofRow('the row, moved to another team', ['edited'], moved, 3),
  ofRow('the row, copied to another team', ['unlogged'], () => log.put({ ...row(3), uid: row(2).uid })),
  ofRow('an inserted row', ['unlogged'], () => log.put(withArrival(inserted({ receivedAt: earlier(20) })))),
  ofRow('an inserted row without arrival keys', ['damaged', 'unlogged'], () =>
    log.put({ ...inserted(), slot: undefined, arrival: undefined }),
  ),
  ofRow('an inserted row, dated back by more than ten minutes, that the log takes', ['late'], datedBack),
];

/** The commits and checkpoints of the log, which has more than three of each. */
const COMMIT = 'commits/0000000002';
const SIGNED = 'checkpoints/0000000002';
const changed = (path: string, at = -1): Buffer => {
  const bytes = Buffer.from(log.read(path));
  bytes[at === -1 ? bytes.length - 1 : at] = (bytes.at(at) as number) ^ 1;
  return bytes;
};
const timeOf = (path: string) => parseCommit(log.read(path).toString()).time;
const withTime = (text: string, change: Record<string, number>) => JSON.stringify({ ...JSON.parse(text), ...change });
/** Removes what came with the newest commit, as if it had never been. */
const rollBack = () => {
  const last = readdirSync(join(log.logFolder, 'commits')).sort().at(-1) as string;
  const before = String(Number(last) - 1).padStart(10, '0');
  log.write('checkpoint', log.read(`checkpoints/${before}`));
  rmSync(join(log.logFolder, 'commits', last));
  rmSync(join(log.logFolder, 'checkpoints', last));
  for (const path of ['tile/0/000.p/7', 'tile/entries/000.p/7']) rmSync(join(log.logFolder, path));
};
const lowerFloor = async () => {
  const Item = { id: `${LOCAL_ORIGIN}/floor`, n: 1 };
  await log.db.send(new PutCommand({ TableName: log.names.receiptKeys, Item }));
};

const remove = (path: string) => rmSync(join(log.logFolder, path));
/** A change of a file of the log that the audit finds, and names the file. */
const ofFile = (name: string, path: string, change: (path: string) => Promise<unknown> | unknown): Tampering => ({
  ...{ name, change: () => change(path), kinds: ['tree'], names: () => path },
});
const flip = (at?: number) => (path: string) => log.write(path, changed(path, at));
const replaceBy = (other: string) => (path: string) => log.write(path, log.read(other));
/** Stores a commit at another time than it says. */
const storedLater = (ms: number) => () => log.write(COMMIT, log.read(COMMIT), timeOf(COMMIT) + ms);
const retime = (path: string) => {
  const text = withTime(log.read(path).toString(), { time: timeOf(path) - 1000 });
  log.write(path, text, timeOf(path) - 30 * MINUTE_MS);
};
/** Puts a note about a key in the place of that of the log, signed by somebody else. */
const noteOfAnother = async (path: string) => {
  const key = newSigner(receiptKeyName(LOCAL_ORIGIN)).key;
  const text = formatReceiptKey({ origin: LOCAL_ORIGIN, k: 1, key, since: 1 });
  log.write(path, await signNote(text, [newSigner(LOCAL_ORIGIN)], noDeadline()));
};
const changeReceiptKey = () => {
  const id = `${LOCAL_ORIGIN}/receipt-key/1`;
  const Item = { id, verifierKey: 'another', createdAt: '', sealedPrivateKey: body };
  return log.db.send(new PutCommand({ TableName: log.names.receiptKeys, Item }));
};
const rollBackAll = async () => {
  rollBack();
  await lowerFloor();
};

const FILES: readonly Tampering[] = [
  ofFile('a commit, changed', COMMIT, (path) => log.write(path, changed(path, 300), timeOf(path))),
  ofFile('a commit, replaced by another', COMMIT, replaceBy('commits/0000000001')),
  ofFile('a commit, deleted', COMMIT, remove),
  ofFile('a commit, stored again', COMMIT, replaceBy(COMMIT)),
  ofFile('the time of a commit', COMMIT, retime),
  ofFile('a commit, stored more than ten minutes later', COMMIT, storedLater(10 * MINUTE_MS + 1)),
  {
    name: 'the cursor of a commit, back',
    change: () => log.write(COMMIT, withTime(log.read(COMMIT).toString(), { cursor: 1 }), timeOf(COMMIT)),
    kinds: ['damaged', 'tree'],
  },
  ofFile('a checkpoint, changed', SIGNED, flip(80)),
  ofFile('a checkpoint, replaced by another', SIGNED, replaceBy('checkpoints/0000000001')),
  ofFile('a checkpoint, deleted', SIGNED, remove),
  ofFile('a tile, changed', 'tile/0/000.p/7', flip()),
  ofFile('a tile, deleted', 'tile/0/000.p/2', remove),
  ofFile('a bundle, changed', 'tile/entries/000.p/7', flip()),
  ofFile('a bundle, deleted', 'tile/entries/000.p/4', remove),
  ofFile('a file that is none of a log', 'notes.txt', (path) => log.write(path, 'x')),
  ofFile('a tile of a larger tree', 'tile/0/000.p/8', (path) => log.write(path, 'x')),
  ofFile('the newest checkpoint, put back', 'checkpoint', replaceBy('checkpoints/0000000001')),
  ofFile('the newest checkpoint, deleted', 'checkpoint', remove),
  { name: 'a note about a receipt key, deleted', change: () => remove('receipt-keys/1'), kinds: ['tree'] },
  ofFile('a note about a receipt key, of a key that the log did not sign', 'receipt-keys/1', noteOfAnother),
  { name: 'the receipt key in the table', change: changeReceiptKey, kinds: ['tree'] },
  { name: 'the bucket, rolled back', change: rollBack, kinds: ['tree'], withKnown: ['kept', 'tree'] },
  {
    ...{ name: 'the bucket and the table, rolled back', change: rollBackAll, kinds: [] },
    ...{ withKnown: ['kept'], names: () => 'kept' },
  },
];

/** What nothing names. docs/threats.md has a row for each, with the reason. */
const newest = async (): Promise<Entry> => {
  await log.upload({}, await log.team());
  return (await log.rows()).sort((one, other) => other.receivedAt - one.receivedAt)[0] as Entry;
};
const unnamed = (name: string, change: Tampering['change']): Tampering => ({ name, change, kinds: [], withKnown: [] });

const UNNAMED: readonly Tampering[] = [
  unnamed('a row, removed before the log has it, and nobody shows its receipt', async () => {
    await log.remove(await newest());
    await log.sequence();
  }),
  unnamed('a row, changed with its arrival keys before the log has it', async () => {
    await log.put(withArrival({ ...(await newest()), locale: 'de-DE' }));
    await log.sequence();
  }),
  unnamed('an inserted row, dated back by less than ten minutes', async () => {
    await log.put(withArrival(inserted({ receivedAt: log.clock.now() - 5 * MINUTE_MS })));
    await log.sequence();
  }),
  unnamed('the floor in the table, lowered', lowerFloor),
  unnamed('a commit, stored ten minutes later', storedLater(10 * MINUTE_MS)),
  unnamed('the time of a commit, by less than ten minutes, in a bucket that keeps no versions', () => {
    const time = timeOf(COMMIT) + 1000;
    log.write(COMMIT, withTime(log.read(COMMIT).toString(), { time }), time);
  }),
];

describe.each([
  ['whoever writes the table changes', ROWS],
  ['whoever writes the bucket changes', FILES],
  ['nothing names, also beside what was kept', UNNAMED],
])('%s', (_who, cases) => {
  test.each(cases)('$name', async ({ change, kinds, withKnown, names }) => {
    await change();
    const alone = await log.audit();
    expect(alone.kinds).toEqual(kinds);
    const audit = withKnown ? await log.audit(['--known', exported, '--known', checkpoint]) : alone;
    expect(audit.kinds).toEqual(withKnown ?? kinds);
    const told = audit.findings.map(({ path, entryId, problem }) => `${path} ${entryId} ${problem}`).join('\n');
    if (names) expect(told).toContain(names());
    const codes = audit.kinds.map((kind) => (kind === 'late' || kind === 'promised' ? 6 : 1));
    expect(audit.exitCode).toBe(codes.includes(1) ? 1 : (codes[0] ?? 0));
  });
});

test('another history with the same keys: a kept checkpoint contradicts it, and the rows', async () => {
  const [signer] = await log.options.signers(noDeadline());
  // Signed with the keys of the log, as whoever may sign can make it.
  const forked = await openServedLog(log.clock.now() - 3 * MINUTE_MS, {
    log: signer as Signer,
    receipts: newSigner(receiptKeyName(LOCAL_ORIGIN)),
  });
  await forked.grow(7);
  for (const name of ['commits', 'checkpoints', 'tile', 'checkpoint']) {
    rmSync(join(log.logFolder, name), { recursive: true });
    if (name !== 'checkpoint') mkdirSync(join(log.logFolder, name));
    cpSync(join(forked.logFolder, name), join(log.logFolder, name), { recursive: true });
  }
  const { exitCode, kinds } = await log.audit(['--known', checkpoint]);
  expect([exitCode, kinds]).toEqual([1, expect.arrayContaining(['kept', 'tree'])]);
});
