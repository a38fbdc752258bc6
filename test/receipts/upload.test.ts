import { randomBytes } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { localReceiptKey } from '../../cli/local/sequenceKeys.ts';
import { LOCAL_ORIGIN } from '../../cli/store/targets/data.ts';
import { rawPublicKey } from '../../functions/c2sp/ed25519.ts';
import { formatVerifierKey, verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { createReceiptSigner } from '../../functions/receipts/receiptSigner.ts';
import { fileDecryptReceiptKey, readReceiptKey } from '../../functions/receipts/signingKey.ts';
import { parseArrival } from '../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import type { SealedReceiptKey } from '../../functions/tlog/receiptKeyTable.ts';
import {
  aiLog,
  inProcess,
  jsonOf,
  NOW,
  noDeadline,
  signedUpload,
  type Tables,
  withHeader,
  world,
} from '../setup/world.ts';
import { openReceipt } from './openReceipt.ts';

const fixture = await world();
const keys = [await fixture.makeReceiptKey()];

/** Makes a receipt key of a log, sealed with the key file of a fixture. */
async function newKey({ environment }: Tables, origin = LOCAL_ORIGIN): Promise<Omit<SealedReceiptKey, 'id'>> {
  const generate = localReceiptKey(environment.CREDENTIALS_KEY_FILE);
  const { publicKey, sealedPrivateKey } = await generate(origin, noDeadline());
  const key = verifierKey(`${LOCAL_ORIGIN}/receipts`, rawPublicKey(publicKey));
  return { verifierKey: formatVerifierKey(key), createdAt: new Date().toISOString(), sealedPrivateKey };
}

const putKey = ({ keyTable }: Tables, key: Omit<SealedReceiptKey, 'id'>) =>
  keyTable.putKey('receipt-key/1', key, noDeadline());

describe('the receipt of an upload', () => {
  test('names the log, the entry, its digest and its hash', async () => {
    const team = await fixture.team();
    const { headers } = await inProcess(fixture.dependencies()).send(signedUpload(team));
    const [entry] = await fixture.entriesOf(team.uid);
    if (!entry) throw new Error('no entry is stored');

    expect(openReceipt(headers['ai-log-receipt'], keys)).toEqual({
      origin: LOCAL_ORIGIN,
      uid: team.uid,
      entryId: entry.entryId,
      receivedAt: entry.receivedAt,
      bodySha256: entry.bodySha256,
      entryHash: entryHashOf(entryPreimage(entry)).toString('hex'),
      deadline: entry.receivedAt + 600_000,
    });
    // The index by arrival has the same entry hash, so the promise of the receipt is about what the sequencer appends.
    expect(parseArrival(entry.arrival)).toEqual({
      receivedAt: entry.receivedAt,
      entryHash: entryHashOf(entryPreimage(entry)),
    });
    expect(headers['ai-log-receipt']?.length).toBeLessThan(600);
  });

  test('is the same for a resend, later and with another locale: to the same function, or to another from elsewhere', async () => {
    const team = await fixture.team();
    const upload = signedUpload(team, { timestamp: () => NOW });
    let time = NOW;
    const same = inProcess(fixture.dependencies({ now: () => time }));
    const first = await same.send(upload);
    expect(openReceipt(first.headers['ai-log-receipt'], keys).uid).toBe(team.uid);
    time += 5000;
    const other = inProcess(fixture.dependencies({ now: () => time }), '198.51.100.7');
    for (const transport of [same, other]) {
      const { status, headers } = await transport.send(withHeader(upload, 'locale', 'zh-CN'));
      expect([status, headers['ai-log-receipt']]).toEqual([200, first.headers['ai-log-receipt']]);
    }
  });

  test('is on a resend to the same function that had no key at first', async () => {
    const own = await world({ receiptKey: false });
    const team = await own.team();
    const upload = signedUpload(team, { timestamp: () => NOW });
    let time = NOW;
    const transport = inProcess(own.dependencies({ now: () => time }));
    expect((await transport.send(upload)).headers).not.toHaveProperty('ai-log-receipt');
    const made = [await own.makeReceiptKey()];
    time += 5000;
    const [entry] = await own.entriesOf(team.uid);
    // The request that reads the key again does not wait for it.
    await vi.waitFor(async () => {
      const { headers } = await transport.send(upload);
      expect(openReceipt(headers['ai-log-receipt'], made).receivedAt).toBe(entry?.receivedAt);
    }, 60_000);
  });

  test('is not on a rejected upload', async () => {
    const transport = inProcess(fixture.dependencies());
    await transport.send(signedUpload(await fixture.team()));
    const rejected = await transport.send(signedUpload(await fixture.team(), { body: '{}' }));
    expect(rejected.status).toBe(400);
    expect(rejected.headers).not.toHaveProperty('ai-log-receipt');
  });
});

describe('a resend gets no success for a row that is not its request', () => {
  /** Uploads, sets an attribute of the stored row, and sends the identical request to another function. */
  async function resendAfter(name: string, value: unknown) {
    const team = await fixture.team();
    const upload = signedUpload(team);
    const same = inProcess(fixture.dependencies());
    const { headers } = await same.send(upload);
    const key = { uid: team.uid, entryId: headers['ai-log-id'] as string };
    const edit = (to: unknown) => fixture.tamper(key, { [name]: to });
    const [before] = await fixture.entriesOf(team.uid);
    await edit(value);
    // The function that stored the entry answers from its memory.
    const other = inProcess(fixture.dependencies());
    return { team, first: headers, before, edit, send: () => other.send(upload), sendToSame: () => same.send(upload) };
  }
  const zstd = (text: string) => zstdCompressSync(Buffer.from(text));

  test.each([
    ['signature', 'c2ln'],
    ['receivedAt', undefined],
    ['body', zstd('{}')],
    ['stage', 'Other'],
  ])('with %s set to %j', async (name, value) => {
    const { team, send } = await resendAfter(name, value);
    const resent = await send();
    expect(resent).toMatchObject({ status: 500, json: { code: '40015', msg: 'System error', data: null } });
    expect(Object.keys(resent.headers).filter((header) => header.startsWith('ai-log'))).toEqual([]);
    expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
  });

  test('until the row is as it was', async () => {
    const { before, first, edit, send } = await resendAfter('stage', 'Other');
    expect((await send()).status).toBe(500);
    await edit(before?.stage);
    const resent = await send();
    expect(resent).toMatchObject({ status: 200, headers: { 'ai-log-receipt': first['ai-log-receipt'] } });
  });

  test('but one from the function that stored it, which remembers what was uploaded', async () => {
    const { first, send, sendToSame } = await resendAfter('stage', 'Other');
    expect((await send()).status).toBe(500);
    expect(await sendToSame()).toMatchObject({ status: 200, headers: { 'ai-log-receipt': first['ai-log-receipt'] } });
  });

  test('but one from a function that compared the row before it was changed', async () => {
    const { before, first, edit, send } = await resendAfter('stage', 'Other');
    await edit(before?.stage);
    expect((await send()).status).toBe(200);
    await edit('Other');
    expect(await send()).toMatchObject({ status: 200, headers: { 'ai-log-receipt': first['ai-log-receipt'] } });
  });

  test('but a body that another version compressed is the same body', async () => {
    const body = jsonOf(aiLog);
    const { first, send } = await resendAfter('body', zstdCompressSync(body));
    expect(await send()).toMatchObject({ status: 200, headers: { 'ai-log-receipt': first['ai-log-receipt'] } });
  });

  test('and without a receipt, if DynamoDB does not return the row', async () => {
    const team = await fixture.team();
    const dependencies = fixture.dependencies();
    const entries: typeof dependencies.entries = { put: async () => ({ outcome: 'unknown' }) };
    const { status, headers } = await inProcess({ ...dependencies, entries }).send(signedUpload(team));
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('ai-log-receipt');
  });
});

describe('without a key, an upload is accepted without a receipt', () => {
  const receiptOfUpload = async (own: Tables, now = Date.now) => {
    const { status, headers } = await inProcess(own.dependencies({ now })).send(signedUpload(await own.team()));
    expect(status).toBe(200);
    return headers['ai-log-receipt'];
  };

  test('until the sequencer has made the key, and then within seconds', async () => {
    const own = await world({ receiptKey: false });
    const team = await own.team();
    let time = NOW;
    const transport = inProcess(own.dependencies({ now: () => time }));
    const upload = async () => await transport.send(signedUpload(team, { timestamp: () => time }));

    expect((await upload()).headers).not.toHaveProperty('ai-log-receipt');
    const made = [await own.makeReceiptKey()];
    time += 4999;
    expect((await upload()).headers).not.toHaveProperty('ai-log-receipt');
    time += 1;
    // The upload that reads the key again does not wait for it.
    await vi.waitFor(async () => {
      const { headers } = await upload();
      expect(openReceipt(headers['ai-log-receipt'], made).uid).toBe(team.uid);
    }, 60_000);
  });

  test.each<[why: string, makeKey: (own: Tables) => Promise<Omit<SealedReceiptKey, 'id'>>]>([
    ['the key was sealed for another log', (own) => newKey(own, 'other.example.com/ailog')],
    [
      'the published half is that of another key',
      async (own) => ({ ...(await newKey(own)), verifierKey: (await newKey(own)).verifierKey }),
    ],
    ['the sealed key is damaged', async (own) => ({ ...(await newKey(own)), sealedPrivateKey: randomBytes(90) })],
  ])('if %s', async (_why, makeKey) => {
    const own = await world({ receiptKey: false });
    await putKey(own, await makeKey(own));
    expect(await receiptOfUpload(own)).toBeUndefined();
  });
});

test('a new key signs within ten minutes after its note is public, also while the table fails in between', async () => {
  const own = await world();
  const one = await own.makeReceiptKey();
  const team = await own.team();
  let time = NOW;
  let isDown = false;
  const getKey: typeof own.keyTable.getKey = async (...key) => {
    if (isDown) throw new Error('down');
    return own.keyTable.getKey(...key);
  };
  const receipts = createReceiptSigner({
    origin: LOCAL_ORIGIN,
    readKey: readReceiptKey({
      table: { getKey },
      origin: LOCAL_ORIGIN,
      number: 2,
      decrypt: fileDecryptReceiptKey(own.environment.CREDENTIALS_KEY_FILE),
    }),
    now: () => time,
  });
  await receipts.preload();
  const transport = inProcess(own.dependencies({ now: () => time, receipts }));
  const upload = async () => (await transport.send(signedUpload(team, { timestamp: () => time }))).headers;

  const before = (await upload())['ai-log-receipt'];
  expect(openReceipt(before, [one]).uid).toBe(team.uid);
  const other = await own.makeReceiptKey(2);
  time += 10 * 60_000 - 1;
  expect(openReceipt((await upload())['ai-log-receipt'], [one]).uid).toBe(team.uid);

  // The known key signs while the table does not answer.
  isDown = true;
  time += 1;
  expect(openReceipt((await upload())['ai-log-receipt'], [one]).uid).toBe(team.uid);
  isDown = false;
  // The upload that reads the key again does not wait for it.
  await vi.waitFor(async () => {
    time += 5000;
    expect(openReceipt((await upload())['ai-log-receipt'], [other]).uid).toBe(team.uid);
  }, 60_000);
  expect(openReceipt(before, [other, one]).uid).toBe(team.uid);
});
