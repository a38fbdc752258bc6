import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { localRunOptions } from '../../cli/local/sequence.ts';
import { localReceiptKey } from '../../cli/local/sequenceKeys.ts';
import { requestRotation } from '../../cli/store/tables/receiptKeyRotation.ts';
import { readTimeout } from '../../cli/store/targets/openedTarget.ts';
import { formatVerifierKey, parseVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { readReceiptKeys } from '../../functions/receipts/signingKey.ts';
import { receiptKeyTable } from '../../functions/sequencer/receiptKeyTable.ts';
import type { RunOptions } from '../../functions/sequencer/run.ts';
import { entryHashOf, keyPreimage } from '../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import type { ReceiptKeys } from '../../functions/tlog/tlogTable.ts';
import { newSigner } from '../c2sp/keys.ts';
import { openReceipt } from '../receipts/openReceipt.ts';
import { openFaultyDatabase } from '../setup/faults.ts';
import { type Fixture, openFixture } from '../setup/fixture.ts';
import { MINUTE_MS } from '../setup/time.ts';
import { inProcess } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { Killed, withIntercept } from './intercept.ts';
import { openLogFixture } from './logFixture.ts';

const STRIDE = process.env.THOROUGH ? 1 : 9;

/** Thorough runs kill at every step. */
const KILLS_MS = 300_000;

const keyLeaf = (verifierKey: string) => entryHashOf(keyPreimage(verifierKey)).toString('hex');

async function open() {
  const fixture = await openFixture();
  const log = await openLogFixture(fixture);
  await log.run();
  const read = async () => (await readReceiptKeys(log.db, log.names.tlog, readTimeout())) as ReceiptKeys;
  return {
    fixture,
    log,
    read,
    /** Requests a rotation, as the command does. */
    rotate: async (overlap: number, db = log.db, keys?: ReceiptKeys) => {
      const at = log.clock.now();
      return requestRotation(db, log.names.tlog, {
        read: keys ?? (await read()),
        at,
        by: 'ops',
        startsAt: at + overlap,
      });
    },
  };
}

/** Uploads with a function that has just started. @returns the receipt */
async function receiptOf(fixture: Fixture): Promise<string> {
  const team = await fixture.team();
  const { headers } = await inProcess(fixture.dependencies()).send(signedUpload(team));
  return headers['ai-log-receipt'] as string;
}

describe('the rotation of the receipt key', () => {
  test('the new key is in the log at once and signs after the overlap; receipts of both verify forever', async () => {
    const { fixture, log, read, rotate } = await open();
    const old = (await read()).current.verifierKey;
    const before = await receiptOf(fixture);
    expect(await rotate(10 * MINUTE_MS)).toEqual({ outcome: 'stored' });

    await log.run();
    const made = (await read()).next?.verifierKey as string;
    expect(log.leaves().at(-1)).toBe(keyLeaf(made));
    expect((await log.head()).keys.slice(1).map(({ key }) => key)).toEqual([old, made]);
    expect(openReceipt(await receiptOf(fixture), [old])).toMatchObject({ origin: log.options.origin });

    log.clock.advance(10 * MINUTE_MS - 1);
    await log.run();
    expect((await read()).current.verifierKey).toBe(old);
    log.clock.advance(1);
    await log.run();
    const keys = await read();
    expect(keys.current).toMatchObject({ verifierKey: made, requestedBy: 'ops' });
    expect(keys.current).not.toHaveProperty('startsAt');
    expect(keys).not.toHaveProperty('requested');
    expect(keys).not.toHaveProperty('next');
    expect(keys.previous).toEqual([
      { verifierKey: old, createdAt: expect.any(String), replacedAt: new Date(log.clock.now()).toISOString() },
    ]);

    const after = await receiptOf(fixture);
    expect(() => openReceipt(after, [old])).toThrow();
    for (const receipt of [before, after]) expect(openReceipt(receipt, [old, made]).uid).toMatch(/^\d+$/);
    expect(await log.run()).toMatchObject({ size: log.leaves().length });
  });

  test('with no overlap, one run makes the key, puts it into the log and lets it sign', async () => {
    const { log, read, rotate } = await open();
    const { current } = await read();
    await rotate(0);
    await log.run();
    const keys = await read();
    expect(keys.previous.map(({ verifierKey }) => verifierKey)).toEqual([current.verifierKey]);
    expect(log.leaves()).toContain(keyLeaf(keys.current.verifierKey));
    await log.expectWhole({ keys: 4 });
  });

  test('the sequencer is killed before and after its calls: the next run ends the rotation, and no key signs that is not in the log', {
    timeout: KILLS_MS,
  }, async () => {
    const { log, read, rotate } = await open();
    let step = 1 - STRIDE;
    let rotations = 0;
    for (let killed = true; killed; ) {
      step += STRIDE;
      await rotate(0);
      rotations += 1;
      killed = await log.runKilled(step);
      expect(log.leaves()).toContain(keyLeaf((await read()).current.verifierKey));
      // A key of the run that died is left to it for five minutes, then another one is made.
      log.clock.advance(6 * MINUTE_MS);
      await log.run();
      expect((await read()).previous).toHaveLength(rotations);
      expect(log.leaves()).toContain(keyLeaf((await read()).current.verifierKey));
    }
    expect(step).toBeGreaterThan(20);
    await log.expectWhole({ keys: 3 + rotations });
  });

  test('a key that another sequencer made does not sign before its leaf is in the log', async () => {
    const { log, read, rotate } = await open();
    await rotate(0);
    const { origin, receiptKeys } = log.options;
    const signal = AbortSignal.timeout(10_000);
    await receiptKeys.ensure(origin, log.clock.now(), signal);
    await receiptKeys.startNext(
      (await log.head()).keys.map(({ key }) => key),
      log.clock.now(),
      signal,
    );
    expect((await read()).previous).toEqual([]);
    const { next } = await read();
    await log.run();
    expect(await read()).toMatchObject({ next, previous: [] });
    log.clock.advance(6 * MINUTE_MS);
    await log.run();
    expect((await read()).previous).toHaveLength(1);
    expect((await read()).current.verifierKey).not.toBe(next?.verifierKey);
    await log.expectWhole({ keys: 4 });
  });

  test.each([
    ['previous', 'receipts'],
    ['next', 'receipts'],
    ['current', 'receipts'],
    ['previous', 'checkpoints'],
  ])('puts no key into the log that somebody wrote as %s, for %s', async (place, of) => {
    const { log, read } = await open();
    const { size, keys } = await log.head();
    const verifierKey = formatVerifierKey(newSigner(log.options.origin + (of === 'receipts' ? '/receipts' : '')).key);
    const stored = await read();
    const planted = { ...stored.current, verifierKey, createdAt: new Date(log.clock.now()).toISOString() };
    const value = place === 'previous' ? [planted] : { ...planted, ...(place === 'next' && { startsAt: 0 }) };
    const plant = () => log.db.send(new PutCommand({ TableName: log.names.tlog, Item: { ...stored, [place]: value } }));
    await plant();
    log.clock.advance(MINUTE_MS);
    expect(await log.run()).toMatchObject({ size });
    // Even if the head does not know its keys any more.
    await log.changeHead({ keys: keys.filter(({ key }) => !key.includes('/receipts+')) });
    await log.run();
    log.clock.advance(10 * MINUTE_MS);
    await log.run();
    expect(log.leaves()).not.toContain(keyLeaf(verifierKey));
    expect((await log.head()).keys.map(({ key }) => key)).not.toContain(verifierKey);
  });

  test('a key without a time that somebody wrote holds no rotation up', async () => {
    const { log, read } = await open();
    const stored = await read();
    const next = { ...stored.current, verifierKey: `${log.options.origin}/receipts+x`, createdAt: 'x', startsAt: 0 };
    await log.db.send(new PutCommand({ TableName: log.names.tlog, Item: { ...stored, next } }));
    await log.run();
    const { current } = await read();
    expect([stored.current.verifierKey, next.verifierKey]).not.toContain(current.verifierKey);
    expect(log.leaves()).toContain(keyLeaf(current.verifierKey));
  });

  test('three sequencers at once make one key', async () => {
    const { log, read, rotate } = await open();
    await rotate(0);
    await Promise.all([log.run(), log.run(), log.run()]);
    await log.run();
    expect((await read()).previous).toHaveLength(1);
    await log.expectWhole({ keys: 4 });
  });

  test('two requests at once: one is stored, and the other one says that the keys have changed', async () => {
    const { log, read, rotate } = await open();
    const keys = await read();
    const outcomes = await Promise.all([rotate(0, log.db, keys), rotate(0, log.db, keys)]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['changed', 'stored']);
    await log.run();
    expect(await rotate(0, log.db, keys)).toEqual({ outcome: 'changed' });
    expect((await read()).previous).toHaveLength(1);
  });

  test.each(['requested', 'made'])('a rotation whose key is %s can start earlier', async (state) => {
    const { log, read, rotate } = await open();
    await rotate(1000 * MINUTE_MS);
    if (state === 'made') await log.run();
    expect(await rotate(0)).toEqual({ outcome: 'stored' });
    await log.run();
    expect((await read()).previous).toHaveLength(1);
    await log.expectWhole({ keys: 4 });
  });

  test.each(['requested', 'made'])('a lost answer is recognized, if no key or one was %s before', async (state) => {
    const { fixture, log, read, rotate } = await open();
    if (state === 'made') {
      await rotate(1000 * MINUTE_MS);
      await log.run();
    }
    const { proxy, db } = await openFaultyDatabase(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
    const keys = await read();
    proxy.planWrites('lose the answer');
    expect(await rotate(0, db, keys)).toEqual({ outcome: 'stored' });
    await log.run();
    expect((await read()).previous).toHaveLength(1);
    proxy.close();
  });

  test('a key that the sequencer stored without hearing of it is used, not another one', async () => {
    const { fixture, log, read, rotate } = await open();
    await rotate(1000 * MINUTE_MS);
    const { proxy, db } = await openFaultyDatabase(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
    proxy.planWrites('lose the answer');
    const generate = localReceiptKey(fixture.environment.CREDENTIALS_KEY_FILE);
    const receiptKeys = receiptKeyTable(db, log.names.tlog, generate);
    await log.run({ receiptKeys });
    expect(proxy.seen().length).toBeGreaterThan(2);
    expect((await log.head()).keys.at(-1)?.key).toBe((await read()).next?.verifierKey);
    await log.expectWhole({ keys: 4 });
    proxy.close();
  });
});

describe('the rotation of the checkpoint key', () => {
  const signersOf = (log: Awaited<ReturnType<typeof open>>['log'], fixture: Fixture, checkpointKeys: string) =>
    localRunOptions({
      db: log.db,
      tables: log.names,
      folder: log.folder,
      keyFile: fixture.environment.CREDENTIALS_KEY_FILE,
      checkpointKeys,
    }).signers;
  const policyOf = (...keys: string[]) => ({
    logs: keys.map((key) => ({ key: parseVerifierKey(key) })),
    receipts: [],
    witnesses: new Map(),
    groups: new Map(),
    quorum: 'none',
  });

  test('both keys sign during the overlap, the leaf of the new one is signed by the old one, and every checkpoint verifies with the policy of both', async () => {
    const { fixture, log } = await open();
    const checkpoint = (path = 'checkpoint') => String(log.files().get(path));
    const [old = ''] = (await log.head()).keys.map(({ key }) => key);

    const both = { signers: signersOf(log, fixture, '1,2') };
    await log.run(both);
    const made = (await log.head()).keys.at(-1)?.key as string;
    expect(log.leaves().at(-1)).toBe(keyLeaf(made));
    for (const key of [old, made]) expect(openCheckpoint(checkpoint(), policyOf(key))).toMatchObject({ size: 4 });
    await log.grow(2);
    await log.run(both);
    for (const key of [old, made]) expect(openCheckpoint(checkpoint(), policyOf(key))).toMatchObject({ size: 6 });

    const second = { signers: signersOf(log, fixture, '2') };
    await log.grow(1);
    expect(await log.run(second)).toMatchObject({ size: 7 });
    expect(openCheckpoint(checkpoint(), policyOf(made))).toMatchObject({ size: 7 });
    expect(() => openCheckpoint(checkpoint(), policyOf(old))).toThrow('No trusted key');
    for (const size of [3, 4, 6, 7]) openCheckpoint(checkpoint(`checkpoints/${size}`), policyOf(old, made));
    await log.expectWhole({ keys: 4, signers: signersOf(log, fixture, '1,2') });
  });

  test('the sequencer is killed before and after its calls, and continues with or without the new key', {
    timeout: KILLS_MS,
  }, async () => {
    const fixture = await openFixture();
    for (let step = 1, killed = true; killed; step += STRIDE) {
      const log = await openLogFixture(fixture, { fresh: true });
      await log.run();
      const rotating = { signers: signersOf(log, fixture, '1,2') };
      killed = await log.runKilled(step, rotating);
      // The deployment was rolled back, then done again.
      if (step % 2 === 0) await log.run();
      expect(await log.run(rotating)).toMatchObject({ size: 4, superseded: false });
      const [old = '', , made = ''] = (await log.head()).keys.map(({ key }) => key);
      const newest = String(log.files().get('checkpoint'));
      expect(openCheckpoint(newest, policyOf(old))).toMatchObject({ size: 4 });
      expect(made).not.toBe('');
      await log.expectWhole({ complete: false, keys: 4, signers: signersOf(log, fixture, '1,2') });
    }
  });

  test('a checkpoint that was stored before the overlap began is published with both signatures, and the stored one is kept', async () => {
    const { fixture, log } = await open();
    await log.grow(2);
    const intercept = (call: string) => {
      if (call === 'storage.replace') throw new Killed();
    };
    await expect(log.run(withIntercept(log.options, intercept))).rejects.toBeInstanceOf(Killed);
    const stored = String(log.files().get('checkpoints/5'));
    expect(await log.run({ signers: signersOf(log, fixture, '1,2') })).toMatchObject({ superseded: false, size: 6 });
    expect(String(log.files().get('checkpoints/5'))).toBe(stored);
    await log.expectWhole({ keys: 4, signers: signersOf(log, fixture, '1,2') });
  });

  test('a key that signed no checkpoint cannot take over either, if somebody removed the keys from the head', async () => {
    const { fixture, log } = await open();
    await log.changeHead({ keys: [] });
    const taken = log.run({ signers: signersOf(log, fixture, '2') });
    await expect(taken).rejects.toMatchObject({ name: 'FatalError', condition: 'key-unknown' });
    await log.grow(1);
    expect(await log.run()).toMatchObject({ appended: 1 });
  });

  test.each([
    ['a log that has another name', 'origin-differs', () => ({ origin: 'logs.example.com/ailog' })],
    ['a key that is not in the log', 'key-unknown', (signers: RunOptions['signers']) => ({ signers })],
  ])('%s cannot take over: the log stops, and nothing is signed', async (_name, condition, change) => {
    const { fixture, log } = await open();
    await log.grow(1);
    const before = log.files();
    const taken = log.run(change(signersOf(log, fixture, '2')));
    await expect(taken).rejects.toMatchObject({ name: 'FatalError', condition });
    expect(log.files()).toEqual(before);
    expect(await log.run()).toMatchObject({ appended: 1 });
    await log.expectWhole();
  });
});
