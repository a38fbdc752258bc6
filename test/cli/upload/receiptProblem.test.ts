import { describe, expect, test } from 'vitest';
import { findReceiptProblem } from '../../../cli/upload/receiptProblem.ts';
import type { HashedAttributes } from '../../../functions/tlog/entryHash.ts';
import { newSigner } from '../../c2sp/keys.ts';
import { makeEvidence, ORIGIN, RECEIVED_AT } from '../commands/tlog/evidenceFixture.ts';

const { mine, log, receipts, receiptNote } = await makeEvidence();
const sent = { entryId: mine.entry.entryId, body: Buffer.from(mine.body), uid: '1001' };
const headerOf = async (change: Partial<HashedAttributes> = {}, signer = receipts) =>
  Buffer.from(await receiptNote({ ...mine.entry, ...change }, signer)).toString('base64');

describe('a receipt is about the request', () => {
  test('with the same entry, body and UID, or if the UID is not known', async () => {
    expect(findReceiptProblem(await headerOf(), sent)).toBeUndefined();
    expect(findReceiptProblem(await headerOf(), { ...sent, uid: undefined })).toBeUndefined();
    expect(findReceiptProblem(await headerOf({}, newSigner(`${ORIGIN}/receipts`)), sent)).toBeUndefined();
  });

  // biome-ignore format: one case a line
  test.each<[string, Partial<HashedAttributes>, RegExp]>([
    ['another entry', { entryId: `${RECEIVED_AT}-${'0'.repeat(32)}` }, /^it is about the entry \S+, not \S+$/],
    ['another body', { bodySha256: 'ab'.repeat(32) }, /^it is about a body with the SHA-256 (ab){32}, not [0-9a-f]{64}$/],
    ['another UID', { uid: '1002' }, /^it is about UID 1002, not 1001$/],
    ['an earlier time', { receivedAt: RECEIVED_AT - 45 - 30_001 }, /^its time \d+ is not within 30 s of the timestamp that was signed$/],
    ['a later time', { receivedAt: RECEIVED_AT - 45 + 30_001 }, /^its time/],
  ])('not with %s', async (_name, change, problem) => {
    expect(findReceiptProblem(await headerOf(change), sent)).toMatch(problem);
  });

  test('not if a key for something else signed it', async () => {
    expect(findReceiptProblem(await headerOf({}, log), sent)).toBe(`no key ${ORIGIN}/receipts signed it`);
  });
});
