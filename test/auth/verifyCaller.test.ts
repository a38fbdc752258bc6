import { expect, test } from 'vitest';
import { type ApiKey, isPossibleKey } from '../../functions/auth/apiKeys.ts';
import { sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { verifyCaller } from '../../functions/auth/verifyCaller.ts';
import { apiError } from '../../functions/errors.ts';

const apiKey: ApiKey = {
  accessKey: 'key',
  uid: '1',
  status: 'active',
  credentials: new Uint8Array(),
  createdAt: '2025-11-14T00:00:00.000Z',
};

/** Returns the error code of a request that nobody signed, and the number of signatures that were computed for it. */
function reject(known: {
  apiKey: ApiKey | undefined;
  credentials: { secret: string; passphrase: string }[] | undefined;
}) {
  let signatures = 0;
  // Every signature covers the timestamp.
  const timestamp = {
    toString: () => {
      signatures += 1;
      return '1763103201300';
    },
  } as unknown as string;
  const access = { accessKey: 'key', signature: `${'A'.repeat(43)}=`, timestamp, passphrase: 'p' };
  try {
    verifyCaller({ ...known, access, rawBody: Buffer.from('{}') });
  } catch (error) {
    return { code: (error as { code: string }).code, signatures };
  }
  throw new Error('The request was accepted.');
}

test('the first check that fails ends the work: the signature is not computed for a key that may not be used', () => {
  const credentials = [{ secret: '0f'.repeat(32), passphrase: 'p' }];
  // With the secret as text, and decoded from hex and from base64.
  expect(reject({ apiKey, credentials })).toEqual({ code: '40009', signatures: 3 });
  expect(reject({ apiKey, credentials: undefined })).toEqual({ code: '40006', signatures: 0 });
  expect(reject({ apiKey: undefined, credentials: undefined })).toEqual({ code: '40006', signatures: 0 });
  expect(reject({ apiKey: undefined, credentials })).toEqual({ code: '40006', signatures: 0 });
});

test('a secret that was decoded before it signed is named, if it is one that the key accepts', () => {
  const [timestamp, rawBody] = ['1763103201300', Buffer.from('{}')];
  const secret = '0f'.repeat(32);
  const signature = sign(Buffer.from(secret, 'hex'), { timestamp, body: rawBody });
  const access = { accessKey: 'key', signature, timestamp, passphrase: 'p' };
  const verify = (secret: string) => () =>
    verifyCaller({ access, apiKey, credentials: [{ secret, passphrase: 'p' }], rawBody });
  expect(verify(secret)).toThrow(apiError('secretDecoded', { encoding: 'hex' }).message);
  expect(verify('f0'.repeat(32))).toThrow(apiError('signatureInvalid', { path: UPLOAD_PATH }).message);
});

test('an access key has up to 2048 bytes', () => {
  expect([2048, 2049].map((length) => isPossibleKey('x'.repeat(length)))).toEqual([true, false]);
});
