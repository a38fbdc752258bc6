import { KMSClient } from '@aws-sdk/client-kms';
import { expect, test } from 'vitest';
import { LOCAL_ORIGIN } from '../../cli/store/targets/data.ts';
import { kmsDecrypt } from '../../functions/auth/credentialStore.ts';
import { fileDecryptReceiptKey, readReceiptKey } from '../../functions/receipts/signingKey.ts';
import { receiptKeyContext } from '../../functions/tlog/receiptKeyTable.ts';
import { noDeadline, world } from '../setup/world.ts';

const signal = noDeadline();

test('the key is decrypted when it is new, and not again', async () => {
  const { keyTable: table, environment } = await world();
  const decrypt = fileDecryptReceiptKey(environment.CREDENTIALS_KEY_FILE);
  let decryptions = 0;
  const read = readReceiptKey({
    table,
    origin: LOCAL_ORIGIN,
    number: 1,
    decrypt: (...sealed) => {
      decryptions += 1;
      return decrypt(...sealed);
    },
  });
  const key = await read(undefined, signal);
  expect(key.key.name).toBe(`${LOCAL_ORIGIN}/receipts`);
  expect(await read(key, signal)).toBe(key);
  expect(decryptions).toBe(1);
  await read({ ...key, sealed: Buffer.alloc(1) }, signal);
  expect(decryptions).toBe(2);
});

test('a key whose public half is not the published one signs nothing', async () => {
  const { keyTable, environment } = await world();
  const getKey: typeof keyTable.getKey = async (...asked) => {
    const item = await keyTable.getKey(...asked);
    return item && { ...item, verifierKey: 'another' };
  };
  const decrypt = fileDecryptReceiptKey(environment.CREDENTIALS_KEY_FILE);
  const read = readReceiptKey({ table: { getKey }, origin: LOCAL_ORIGIN, number: 1, decrypt });
  await expect(read(undefined, signal)).rejects.toThrow('The receipt key is not the published one, another.');
});

test('before the first run of the sequencer, the error says that it makes the key', async () => {
  const { keyTable: table } = await world({ receiptKey: false });
  const read = readReceiptKey({ table, origin: 'o', number: 1, decrypt: async () => new Uint8Array() });
  await expect(read(undefined, signal)).rejects.toThrow(
    new Error('There is no receipt key yet. The first run of the sequencer makes it.'),
  );
});

test('KMS is asked to decrypt with the key, the ciphertext and what it was sealed for', async () => {
  const kms = new KMSClient({ region: 'local' });
  const asked: unknown[] = [];
  kms.middlewareStack.add(
    () => async (args) => {
      asked.push(args.input);
      return { output: { Plaintext: Buffer.from('plain'), $metadata: {} }, response: {} } as never;
    },
    { step: 'initialize' },
  );
  const sealed = Buffer.from('sealed');
  const decrypt = kmsDecrypt(kms, 'arn');
  expect(await decrypt(sealed, receiptKeyContext('log.example'), signal)).toEqual(Buffer.from('plain'));
  expect(await decrypt(sealed, { accessKey: 'k', uid: '1' }, signal)).toEqual(Buffer.from('plain'));
  const request = { KeyId: 'arn', CiphertextBlob: sealed };
  expect(asked).toEqual([
    { ...request, EncryptionContext: { purpose: 'receipts', origin: 'log.example' } },
    { ...request, EncryptionContext: { accessKey: 'k', uid: '1' } },
  ]);
});
