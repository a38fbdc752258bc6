import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rawPublicKeyOf } from '../../functions/c2sp/ed25519.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { createReceiptSigner } from '../../functions/receipts/receiptSigner.ts';
import type { ReceiptSigningKey } from '../../functions/receipts/signingKey.ts';
import type { HashedAttributes } from '../../functions/tlog/entryHash.ts';

/** The time that all uploads of a function together may wait, in milliseconds. */
const BOUND = 500;

const { privateKey } = generateKeyPairSync('ed25519');
const SIGNING_KEY: ReceiptSigningKey = {
  key: verifierKey('log.example/receipts', rawPublicKeyOf(privateKey)),
  privateKey,
  sealed: new Uint8Array(),
};

const entry = { uid: '1', entryId: '1', receivedAt: 1, bodySha256: 'ab' } as HashedAttributes;

/** Receipts whose key is read by promises of the test. */
function openReceipts() {
  const reads: PromiseWithResolvers<ReceiptSigningKey>[] = [];
  const readKey = () => {
    const read = Promise.withResolvers<ReceiptSigningKey>();
    reads.push(read);
    return read.promise;
  };
  return { reads, receipts: createReceiptSigner({ origin: 'log.example', readKey, now: Date.now }) };
}

let { receipts, reads } = openReceipts();
beforeEach(() => {
  vi.useFakeTimers();
  ({ receipts, reads } = openReceipts());
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns what became of an upload without letting time pass. */
async function stateOf(issued: Promise<string>): Promise<'waits' | 'signed' | string> {
  let state = 'waits';
  issued.then(
    () => (state = 'signed'),
    (error: Error) => (state = error.message),
  );
  await vi.advanceTimersByTimeAsync(0);
  return state;
}

describe('the wait of uploads for the receipt key', () => {
  test('ends a bound after the first upload began, whatever the upload did meanwhile', async () => {
    receipts.prepare();
    await vi.advanceTimersByTimeAsync(BOUND - 1);
    const issued = receipts.issue(entry);
    expect(await stateOf(issued)).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(await stateOf(issued)).toBe('The receipt key is not read yet.');
  });

  test('is no longer if the clock is set back meanwhile', async () => {
    receipts.prepare();
    vi.setSystemTime(Date.now() - 3_600_000);
    const issued = receipts.issue(entry);
    expect(await stateOf(issued)).toBe('waits');
    await vi.advanceTimersByTimeAsync(BOUND);
    expect(await stateOf(issued)).toBe('The receipt key is not read yet.');
  });

  test('is over for every later upload, while the same read still goes on', async () => {
    receipts.prepare();
    await vi.advanceTimersByTimeAsync(BOUND);
    for (let upload = 0; upload < 3; upload += 1) {
      receipts.prepare();
      expect(await stateOf(receipts.issue(entry))).toBe('The receipt key is not read yet.');
    }
    expect(reads).toHaveLength(1);
  });

  test('ends when the first read finds no key, and no later read makes an upload wait', async () => {
    receipts.prepare();
    const issued = receipts.issue(entry);
    reads[0]?.reject(new Error('There is no receipt key yet.'));
    expect(await stateOf(issued)).toBe('There is no receipt key yet.');
    await vi.advanceTimersByTimeAsync(4999);
    receipts.prepare();
    expect(reads).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    receipts.prepare();
    expect(reads).toHaveLength(2);
    expect(await stateOf(receipts.issue(entry))).toBe('There is no receipt key yet.');
  });

  test('is none while a known key is read again', async () => {
    receipts.prepare();
    reads[0]?.resolve(SIGNING_KEY);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    receipts.prepare();
    expect(reads).toHaveLength(2);
    // Not even if the clock is back in the time in which uploads wait.
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await stateOf(receipts.issue(entry))).toBe('signed');
  });

  test('begins with the first upload: a function may have been started, and frozen, long before', async () => {
    receipts.preload();
    await vi.advanceTimersByTimeAsync(10_000);
    receipts.prepare();
    expect(reads).toHaveLength(2);
    const issued = receipts.issue(entry);
    reads[0]?.reject(new Error('Timed out.'));
    expect(await stateOf(issued)).toBe('waits');
    reads[1]?.resolve(SIGNING_KEY);
    expect(await stateOf(issued)).toBe('signed');
  });

  test('begins with the first upload also if the read at the start has failed by then', async () => {
    receipts.preload();
    await vi.advanceTimersByTimeAsync(1);
    reads[0]?.reject(new Error('Timed out.'));
    await vi.advanceTimersByTimeAsync(1);
    receipts.prepare();
    expect(reads).toHaveLength(2);
    expect(await stateOf(receipts.issue(entry))).toBe('waits');
  });

  test.each([
    [500, 1],
    [501, 2],
  ])('uses the read of the start if it began at most half a second before: %i ms, reads: %i', async (ms, count) => {
    receipts.preload();
    await vi.advanceTimersByTimeAsync(ms);
    receipts.prepare();
    await vi.advanceTimersByTimeAsync(0);
    expect(reads).toHaveLength(count);
  });

  test('is that for the newest read, whatever becomes of an earlier one', async () => {
    receipts.preload();
    await vi.advanceTimersByTimeAsync(10_000);
    receipts.prepare();
    reads[0]?.reject(new Error('Timed out.'));
    await vi.advanceTimersByTimeAsync(0);
    receipts.prepare();
    expect(reads).toHaveLength(2);
  });

  test('leaves no timer behind', async () => {
    receipts.prepare();
    const issued = receipts.issue(entry);
    expect(await stateOf(issued)).toBe('waits');
    const timers = vi.getTimerCount();
    reads[0]?.reject(new Error('There is no receipt key yet.'));
    await stateOf(issued);
    expect(vi.getTimerCount()).toBe(timers - 1);
  });
});

test('a read that fails after a later one has succeeded makes nobody read again before it is due', async () => {
  receipts.preload();
  await vi.advanceTimersByTimeAsync(10_000);
  receipts.prepare();
  reads[1]?.resolve(SIGNING_KEY);
  await vi.advanceTimersByTimeAsync(0);
  reads[0]?.reject(new Error('Timed out.'));
  for (const [after, count] of [
    [5000, 2],
    [10 * 60_000 - 5001, 2],
    [1, 3],
  ] as const) {
    await vi.advanceTimersByTimeAsync(after);
    receipts.prepare();
    expect([after, reads.length]).toEqual([after, count]);
  }
});
