import { expect, test, vi } from 'vitest';
import { createCredentialStore, fileDecrypt } from '../../functions/auth/credentialStore.ts';
import { noDeadline, world } from '../setup/world.ts';

test('credentials in memory do not answer for another access key or UID', async () => {
  const { seal, environment } = await world();
  const unseal = vi.fn(fileDecrypt(environment.CREDENTIALS_KEY_FILE));
  const store = createCredentialStore(unseal);
  const plain = { secret: 'secret', passphrase: 'passphrase' };
  const credentials = await seal(plain, { accessKey: 'key', uid: '1' });
  const decrypt = (accessKey: string, uid: string) => store.decrypt({ accessKey, uid, credentials }, noDeadline());
  expect(await decrypt('key', '1')).toEqual(plain);
  await expect(decrypt('key', '2')).rejects.toThrow();
  await expect(decrypt('other', '1')).rejects.toThrow();
  expect(await decrypt('key', '1')).toEqual(plain);
  expect(unseal).toHaveBeenCalledTimes(3);
});

// biome-ignore format: several a line
test.each([
  'no JSON', '{}', '{"secret":"s"}', '{"secret":"s","passphrase":1}', '{"secret":1,"passphrase":"p"}', 'null',
])('decrypted credentials %j are an error that quotes nothing of them', async (plaintext) => {
  const store = createCredentialStore(async () => Buffer.from(plaintext));
  const sealed = { accessKey: 'key', uid: '1', credentials: new Uint8Array() };
  const error = await store.decrypt(sealed, noDeadline()).catch((error: unknown) => error);
  expect(error).toEqual(new Error('Sealed credentials must be JSON with the strings "secret" and "passphrase"'));
  expect(error).not.toHaveProperty('cause');
});
