import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Kind } from '../../../../cli/proof/audit/findings.ts';
import { LOCAL_ORIGIN } from '../../../../cli/store/targets/data.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { signNote } from '../../../../functions/c2sp/note.ts';
import { arrivalKeys } from '../../../../functions/tlog/arrival.ts';
import { parseCommit } from '../../../../functions/tlog/commit.ts';
import { formatReceiptKey, receiptKeyName } from '../../../../functions/tlog/receiptKeyNote.ts';
import { newSigner } from '../../../c2sp/keys.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { openRunningLog } from '../log/runningLog.ts';
import { type AuditFixture, openAuditFixture } from './auditFixture.ts';

let log: AuditFixture;
let rows: readonly Entry[];
let restore: () => Promise<void>;
/** A checkpoint and an export that somebody kept of the log as it was, and a receipt that was given for an entry. */
let checkpoint: string;
let exported: string;

beforeAll(async () => {
  log = await openAuditFixture();
  const teams = [await log.fixture.team(), await log.fixture.team()] as const;
  for (let at = 0; at < 6; at += 1) {
    await log.upload(teams[at % 2] as (typeof teams)[0], { explanation: `Reason ${at}` });
    if (at % 2 === 1) await log.sequence();
  }
  // The log comes past the time of these, and has another one after it.
  for (let at = 0; at < 3; at += 1) await log.sequence(10 * MINUTE_MS);
  await log.upload(teams[0]);
  await log.sequence();
  rows = (await log.rows()).sort((one, other) => one.receivedAt - other.receivedAt);
  checkpoint = log.file('kept', log.read('checkpoint'));
  const lines = rows.map((row) => JSON.stringify({ entry: preimageOf(row), body: null }));
  exported = log.file('export.jsonl', `${lines.join('\n')}\n`);
  restore = await log.keep();
});
afterEach(() => restore());
afterAll(() => log.engine.stop());

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
  readonly withKnown?: readonly Kind[];
  /** The entry, or the file, that must be named. */
  readonly names?: () => string;
}

const digestOf = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
const body = Buffer.from('{"explanation":"another one"}');
const withArrival = (entry: Entry): Entry => ({ ...entry, ...arrivalKeys(entry) });
const inserted = (change: Partial<Entry> = {}): Entry => {
  const other = { ...row(0), timestamp: String(Number(row(0).timestamp) + 1), ...change };
  const signed = JSON.stringify([other.accessKey, other.timestamp, other.signature]);
  return { ...other, entryId: `${other.timestamp}-${digestOf(Buffer.from(signed)).slice(0, 32)}` };
};
const entryOf = (at: number) => () => row(at).entryId;

const ROWS: readonly Tampering[] = [
  { name: 'its locale', change: () => log.put({ ...row(1), locale: 'de-DE' }), kinds: ['edited'], names: entryOf(1) },
  { name: 'its IP address', change: () => log.put({ ...row(1), sourceIp: '192.0.2.9' }), kinds: ['edited'] },
  { name: 'its signature', change: () => log.put({ ...row(1), signature: 'AAAA' }), kinds: ['edited'] },
  { name: 'its body', change: () => log.put({ ...row(1), body }), kinds: ['damaged'], names: entryOf(1) },
  {
    name: 'its body with the digest',
    change: () => log.put({ ...row(1), body, bodySha256: digestOf(body), bodyBytes: body.length }),
    kinds: ['damaged', 'edited'],
  },
  {
    name: 'its locale and its arrival keys',
    change: () => log.put(withArrival({ ...row(1), locale: 'de-DE' })),
    kinds: ['removed', 'unlogged'],
    withKnown: ['edited'],
    names: entryOf(1),
  },
  {
    name: 'its time of receipt, to an earlier one',
    change: () => log.put({ ...row(5), receivedAt: row(0).receivedAt - 1000 }),
    kinds: ['edited'],
  },
  {
    name: 'its time of receipt and its arrival keys',
    change: () => log.put(withArrival({ ...row(5), receivedAt: row(0).receivedAt - 20 * MINUTE_MS })),
    kinds: ['removed', 'unlogged'],
    withKnown: ['edited'],
  },
  { name: 'a copied field', change: () => log.put({ ...row(2), model: 'another' }), kinds: ['damaged'] },
  { name: 'its expiry', change: () => log.put({ ...row(2), expiresAt: 1 }), kinds: ['damaged'], names: entryOf(2) },
  { name: 'a new attribute', change: () => log.put({ ...row(2), note: 'x' }), kinds: ['damaged'] },
  {
    name: 'its arrival keys, removed',
    change: () => log.put({ ...row(2), slot: undefined, arrival: undefined }),
    kinds: ['damaged'],
  },
  {
    name: 'its arrival keys, of another row',
    change: () => log.put({ ...row(2), arrival: row(3).arrival }),
    kinds: ['damaged'],
  },
  { name: 'the row, removed', change: () => log.remove(row(3)), kinds: ['removed'] },
  {
    name: 'the row, removed, and an export names it',
    change: () => log.remove(row(3)),
    kinds: ['removed'],
    withKnown: ['removed'],
    names: entryOf(3),
  },
  {
    name: 'the row, moved to another team',
    change: async () => {
      await log.remove(row(3));
      await log.put({ ...row(3), uid: row(2).uid });
    },
    kinds: ['edited'],
    names: entryOf(3),
  },
  {
    name: 'the row, copied to another team',
    change: () => log.put({ ...row(3), uid: row(2).uid }),
    kinds: ['unlogged'],
  },
  {
    name: 'a row that is inserted',
    change: () => log.put(withArrival(inserted({ receivedAt: row(0).receivedAt - 20 * MINUTE_MS }))),
    kinds: ['unlogged'],
  },
  {
    name: 'a row that is inserted without arrival keys',
    change: () => log.put({ ...inserted(), slot: undefined, arrival: undefined }),
    kinds: ['damaged', 'unlogged'],
  },
  {
    name: 'a row that is inserted and dated back by more than ten minutes, and that the log takes',
    change: async () => {
      await log.put(withArrival(inserted({ receivedAt: log.clock.now() - 9 * MINUTE_MS })));
      await log.sequence(4 * MINUTE_MS);
    },
    kinds: ['late'],
  },
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
  const last = readdirSync(join(log.log, 'commits')).sort().at(-1) as string;
  const before = String(Number(last) - 1).padStart(10, '0');
  log.write('checkpoint', log.read(`checkpoints/${before}`));
  rmSync(join(log.log, 'commits', last));
  rmSync(join(log.log, 'checkpoints', last));
  for (const path of ['tile/0/000.p/7', 'tile/entries/000.p/7']) rmSync(join(log.log, path));
};
const lowerFloor = async () => {
  const Item = { id: `${LOCAL_ORIGIN}/floor`, n: 1 };
  await log.fixture.db.send(new PutCommand({ TableName: log.fixture.names.receiptKeys, Item }));
};

const FILES: readonly Tampering[] = [
  {
    name: 'a commit, changed',
    change: () => log.write(COMMIT, changed(COMMIT, 300), timeOf(COMMIT)),
    kinds: ['tree'],
    names: () => COMMIT,
  },
  {
    name: 'a commit, replaced by another',
    change: () => log.write(COMMIT, log.read('commits/0000000001')),
    kinds: ['tree'],
    names: () => COMMIT,
  },
  { name: 'a commit, deleted', change: () => rmSync(join(log.log, COMMIT)), kinds: ['tree'], names: () => COMMIT },
  {
    name: 'a commit, stored again',
    change: () => log.write(COMMIT, log.read(COMMIT)),
    kinds: ['tree'],
    names: () => COMMIT,
  },
  {
    name: 'the time of a commit',
    change: () =>
      log.write(
        COMMIT,
        withTime(log.read(COMMIT).toString(), { time: timeOf(COMMIT) - 1000 }),
        timeOf(COMMIT) - 30 * MINUTE_MS,
      ),
    kinds: ['tree'],
    names: () => COMMIT,
  },
  {
    name: 'the cursor of a commit, back',
    change: () => log.write(COMMIT, withTime(log.read(COMMIT).toString(), { cursor: 1 }), timeOf(COMMIT)),
    kinds: ['damaged', 'tree'],
  },
  {
    name: 'a checkpoint, changed',
    change: () => log.write(SIGNED, changed(SIGNED, 80)),
    kinds: ['tree'],
    names: () => SIGNED,
  },
  {
    name: 'a checkpoint, replaced by another',
    change: () => log.write(SIGNED, log.read('checkpoints/0000000001')),
    kinds: ['tree'],
    names: () => SIGNED,
  },
  { name: 'a checkpoint, deleted', change: () => rmSync(join(log.log, SIGNED)), kinds: ['tree'], names: () => SIGNED },
  {
    name: 'a tile, changed',
    change: () => log.write('tile/0/000.p/7', changed('tile/0/000.p/7')),
    kinds: ['tree'],
    names: () => 'tile/0/000.p/7',
  },
  {
    name: 'a tile, deleted',
    change: () => rmSync(join(log.log, 'tile/0/000.p/2')),
    kinds: ['tree'],
    names: () => 'tile/0/000.p/2',
  },
  {
    name: 'a bundle, changed',
    change: () => log.write('tile/entries/000.p/7', changed('tile/entries/000.p/7')),
    kinds: ['tree'],
    names: () => 'tile/entries/000.p/7',
  },
  {
    name: 'a bundle, deleted',
    change: () => rmSync(join(log.log, 'tile/entries/000.p/4')),
    kinds: ['tree'],
    names: () => 'tile/entries/000.p/4',
  },
  {
    name: 'a file that is none of a log',
    change: () => log.write('notes.txt', 'x'),
    kinds: ['tree'],
    names: () => 'notes.txt',
  },
  {
    name: 'a tile of a larger tree',
    change: () => log.write('tile/0/000.p/8', 'x'),
    kinds: ['tree'],
    names: () => 'tile/0/000.p/8',
  },
  {
    name: 'the newest checkpoint, put back',
    change: () => log.write('checkpoint', log.read('checkpoints/0000000001')),
    kinds: ['tree'],
    names: () => 'checkpoint',
  },
  {
    name: 'the newest checkpoint, deleted',
    change: () => rmSync(join(log.log, 'checkpoint')),
    kinds: ['tree'],
    names: () => 'checkpoint',
  },
  {
    name: 'a note about a receipt key, deleted',
    change: () => rmSync(join(log.log, 'receipt-keys/1')),
    kinds: ['tree'],
  },
  {
    name: 'a note about a receipt key, of a key that the log did not sign',
    change: async () => {
      const key = newSigner(receiptKeyName(LOCAL_ORIGIN)).key;
      const text = formatReceiptKey({ origin: LOCAL_ORIGIN, k: 1, key, since: 1 });
      log.write('receipt-keys/1', await signNote(text, [newSigner(LOCAL_ORIGIN)], AbortSignal.timeout(1000)));
    },
    kinds: ['tree'],
    names: () => 'receipt-keys/1',
  },
  {
    name: 'the receipt key in the table',
    change: () => {
      const Item = {
        id: `${LOCAL_ORIGIN}/receipt-key/1`,
        verifierKey: 'another',
        createdAt: '',
        sealedPrivateKey: body,
      };
      return log.fixture.db.send(new PutCommand({ TableName: log.fixture.names.receiptKeys, Item }));
    },
    kinds: ['tree'],
  },
  { name: 'the bucket, rolled back', change: rollBack, kinds: ['tree'], withKnown: ['kept', 'tree'] },
  {
    name: 'the bucket and the table, rolled back',
    change: async () => {
      rollBack();
      await lowerFloor();
    },
    kinds: [],
    withKnown: ['kept'],
    names: () => 'kept',
  },
];

/** What nothing names. docs/threats.md has a row for each, with the reason. */
const UNNAMED: readonly Tampering[] = [
  {
    name: 'a row, removed before the log has it, and nobody shows its receipt',
    change: async () => {
      await log.upload(await log.fixture.team());
      const [newest] = (await log.rows()).sort((one, other) => other.receivedAt - one.receivedAt);
      await log.remove(newest as Entry);
      await log.sequence();
    },
    kinds: [],
  },
  {
    name: 'a row, changed with its arrival keys before the log has it',
    change: async () => {
      await log.upload(await log.fixture.team());
      const [newest] = (await log.rows()).sort((one, other) => other.receivedAt - one.receivedAt);
      await log.put(withArrival({ ...(newest as Entry), locale: 'de-DE' }));
      await log.sequence();
    },
    kinds: [],
  },
  {
    name: 'a row that is inserted and dated back by less than ten minutes',
    change: async () => {
      await log.put(withArrival(inserted({ receivedAt: log.clock.now() - 5 * MINUTE_MS })));
      await log.sequence();
    },
    kinds: [],
  },
  { name: 'the floor in the table, lowered', change: lowerFloor, kinds: [] },
  {
    name: 'the time of a commit, by less than ten minutes, in a bucket that keeps no versions',
    change: () => {
      const time = timeOf(COMMIT) + 1000;
      log.write(COMMIT, withTime(log.read(COMMIT).toString(), { time }), time);
    },
    kinds: [],
  },
];

describe.each([
  ['whoever writes the table changes', ROWS],
  ['whoever writes the bucket changes', FILES],
  ['nothing names, also beside what was kept', UNNAMED.map((one) => ({ ...one, withKnown: [] }))],
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
  // Signed with the keys of the log, as whoever may sign can make it.
  const forked = await openRunningLog(log.clock.now() - 3 * MINUTE_MS, {
    log: log.signer,
    receipts: newSigner(receiptKeyName(LOCAL_ORIGIN)),
  });
  await forked.grow(7);
  forked.close();
  for (const name of ['commits', 'checkpoints', 'tile', 'checkpoint']) {
    rmSync(join(log.log, name), { recursive: true });
    if (name !== 'checkpoint') mkdirSync(join(log.log, name));
    cpSync(join(forked.folder, name), join(log.log, name), { recursive: true });
  }
  const { exitCode, kinds } = await log.audit(['--known', checkpoint]);
  expect([exitCode, kinds]).toEqual([1, expect.arrayContaining(['kept', 'tree'])]);
});
