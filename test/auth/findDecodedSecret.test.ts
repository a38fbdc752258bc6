import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { findDecodedSecret } from '../../functions/auth/explainRejection.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';

const parts = { timestamp: '1763103201300', query: '', body: Buffer.from('{}') };
const signedWith = (key: Buffer): string =>
  createHmac('sha256', key).update(`${parts.timestamp}POST${UPLOAD_PATH}{}`).digest('base64');

const hex = '0f'.repeat(32);
const base64 = Buffer.alloc(32, 7).toString('base64');

test.each([
  ['hex', [hex], Buffer.from(hex, 'hex'), 'hex'],
  ['hex in capitals', [hex.toUpperCase()], Buffer.from(hex, 'hex'), 'hex'],
  ['hex, as base64', [hex], Buffer.from(hex, 'base64'), 'base64'],
  ['base64', [base64], Buffer.from(base64, 'base64'), 'base64'],
  ['the second of two secrets', ['another', hex], Buffer.from(hex, 'hex'), 'hex'],
  ['another secret', [hex], Buffer.from('another'), undefined],
] as const)('a secret in %s', (_, secrets, key, found) => {
  expect(findDecodedSecret(secrets, parts, signedWith(key))).toBe(found);
});

// Otherwise an attacker could try all keys of one byte, and learn the first two digits of such a secret.
test.each([
  ['hex up to a letter', `ab${'z'.repeat(62)}`, Buffer.from('ab', 'hex')],
  ['not hex at all', 'xyz', Buffer.alloc(0)],
  ['hex with an odd number of digits', 'abc', Buffer.from('ab', 'hex')],
  ['base64 up to a sign', 'YQ==!!!!secret', Buffer.from('a')],
  ['signs only', '!!!!', Buffer.alloc(0)],
])('no part of a secret can be guessed: %s', (_, secret, key) => {
  expect(findDecodedSecret([secret], parts, signedWith(key))).toBeUndefined();
});
