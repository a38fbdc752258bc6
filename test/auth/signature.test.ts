import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sameText, sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';

/** Test vectors that were made independently of this project. Other implementations can use them too. */
const vectors: {
  name: string;
  why: string;
  secret: string;
  timestamp: string;
  method: string;
  path: string;
  bodyBase64: string;
  signature: string;
}[] = JSON.parse(readFileSync(new URL('../vectors/signature.json', import.meta.url), 'utf8'));

test.each(vectors)('vector $name: $why', ({ method, path, secret, timestamp, bodyBase64, signature }) => {
  expect([method, path]).toEqual(['POST', UPLOAD_PATH]);
  expect(sign(secret, { timestamp, body: Buffer.from(bodyBase64, 'base64') })).toBe(signature);
});

test('sameText compares texts of equal and different lengths', () => {
  expect(sameText('abc', 'abc')).toBe(true);
  expect(sameText('abc', 'abd')).toBe(false);
  expect(sameText('abc', 'abcd')).toBe(false);
  expect(sameText('', '')).toBe(true);
});
