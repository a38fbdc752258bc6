import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { querySpellings, sameText, sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';

/** Made independently of this project; other implementations may use them too. */
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

describe('the spellings of a query string', () => {
  test.each([
    ['none', null, ['']],
    ['a name without values', { trace: undefined }, ['']],
    ['plain', { trace: ['1'] }, ['trace=1']],
    ['a name twice', { a: ['1', '2'], b: [''] }, ['a=1&a=2&b=']],
    ['beyond ASCII', { x: ['你'] }, ['x=%E4%BD%A0', 'x=你']],
    ['a space and a bang', { note: ['a b!'] }, ['note=a%20b%21', 'note=a%20b!', 'note=a+b%21', 'note=a b!']],
    ['a star', { note: ['*'] }, ['note=%2A', 'note=*']],
    ['half an emoji', { x: ['\ud83d'] }, ['x=%EF%BF%BD', 'x=\ud83d']],
  ])('%s', (_name, parameters, spellings) => {
    expect(querySpellings(parameters)).toEqual(spellings);
  });
});

test('texts are the same only if they are, whatever their lengths', () => {
  expect(sameText('abc', 'abc')).toBe(true);
  expect(sameText('abc', 'abd')).toBe(false);
  expect(sameText('abc', 'abcd')).toBe(false);
  expect(sameText('', '')).toBe(true);
});
