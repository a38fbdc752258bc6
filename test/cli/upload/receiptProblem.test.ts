import { describe, expect, test } from 'vitest';
import { findReceiptProblem } from '../../../cli/upload/receiptProblem.ts';
import type { Receipt } from '../../../functions/receipts/receiptFormat.ts';
import { newSigner } from '../../c2sp/keys.ts';
import { HEADER, headerWith, RECEIPT, textOf } from '../../vectors/evidence/vectors.ts';

const { entryId, origin, uid } = RECEIPT;
const sent = { entryId, body: Buffer.from(textOf('decision.json')), uid };
const signedAt = Number(entryId.slice(0, 13));

describe('a receipt is about the request', () => {
  test('with the same entry, body and UID, or if the UID is not known', async () => {
    expect(findReceiptProblem(HEADER, sent)).toBeUndefined();
    expect(findReceiptProblem(HEADER, { ...sent, uid: undefined })).toBeUndefined();
    expect(findReceiptProblem(await headerWith({}, newSigner(`${origin}/receipts`)), sent)).toBeUndefined();
  });

  // biome-ignore format: one case a line
  test.each<[string, Partial<Receipt>, RegExp]>([
    ['another entry', { entryId: `${signedAt}-${'0'.repeat(32)}` }, /^It is about the entry \S+, not \S+$/],
    ['another body', { bodySha256: 'ab'.repeat(32) }, /^The body is another one: its SHA-256 is [0-9a-f]{64}, that of the entry is (ab){32}$/],
    ['another UID', { uid: '1002' }, /^It is about UID 1002, not 1001$/],
    ['an earlier time', { receivedAt: signedAt - 30_001 }, /^It was received more than 30 s from the timestamp that was signed$/],
    ['a later time', { receivedAt: signedAt + 30_001 }, /^It was received more than/],
  ])('not with %s', async (_name, change, problem) => {
    expect(findReceiptProblem(await headerWith(change), sent)).toMatch(problem);
  });

  test('not if a key for something else signed it, or if there is none', async () => {
    const problem = 'No key for receipts of its log signed it';
    expect(findReceiptProblem(await headerWith({}, newSigner(origin)), sent)).toBe(problem);
    expect(findReceiptProblem('', sent)).toBe(problem);
  });
});
