import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { querySpellings, sameText, sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';

/** Test vectors that were made independently of this project. Other implementations can use them too. */
const vectors: {
  name: string;
  why: string;
  secret: string;
  timestamp: string;
  method: string;
  path: string;
  query: string;
  bodyBase64: string;
  signature: string;
}[] = JSON.parse(readFileSync(new URL('../vectors/signature.json', import.meta.url), 'utf8'));

test.each(vectors)('vector $name: $why', ({ method, path, secret, timestamp, query, bodyBase64, signature }) => {
  expect([method, path]).toEqual(['POST', UPLOAD_PATH]);
  expect(sign(secret, { timestamp, query, body: Buffer.from(bodyBase64, 'base64') })).toBe(signature);
});

test.each([
  ['no query', null, ['']],
  ['a name without values', { trace: undefined }, ['']],
  ['a plain parameter', { trace: ['1'] }, ['trace=1']],
  ['a repeated name', { a: ['1', '2'], b: [''] }, ['a=1&a=2&b=']],
  ['text beyond ASCII', { x: ['你'] }, ['x=%E4%BD%A0', 'x=你']],
  ['a space and an exclamation mark', { note: ['a b!'] }, ['note=a%20b%21', 'note=a%20b!', 'note=a+b%21', 'note=a b!']],
  ['an asterisk', { note: ['*'] }, ['note=%2A', 'note=*']],
  ['half an emoji', { x: ['\ud83d'] }, ['x=%EF%BF%BD', 'x=\ud83d']],
])('querySpellings: %s', (_name, parameters, spellings) => {
  expect(querySpellings(parameters)).toEqual(spellings);
});

test('sameText compares texts of equal and different lengths', () => {
  expect(sameText('abc', 'abc')).toBe(true);
  expect(sameText('abc', 'abd')).toBe(false);
  expect(sameText('abc', 'abcd')).toBe(false);
  expect(sameText('', '')).toBe(true);
});
