import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DecryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import { BoundedMap } from '../boundedMap.ts';
import type { ApiKey } from './apiKeys.ts';

export type Credentials = Readonly<Record<'secret' | 'passphrase', string>>;

/** The access key and UID that sealed credentials are bound to. Copied to any other, they cannot be decrypted. */
export type SealContext = Pick<ApiKey, 'accessKey' | 'uid'>;

/** Decrypts what was sealed for a context. @throws Error if it was sealed with another key, or for another context */
export type Decrypt<Context = SealContext> = (
  sealed: Uint8Array,
  context: Context,
  abortSignal: AbortSignal,
) => Promise<Uint8Array>;

/** Creates a decrypter that uses a KMS key. The context is the encryption context. */
export const kmsDecrypt =
  (kms: KMSClient, KeyId: string): Decrypt<Record<string, string>> =>
  async (CiphertextBlob, EncryptionContext, abortSignal) => {
    const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext });
    return (await kms.send(command, { abortSignal })).Plaintext as Uint8Array;
  };

/** The format of what a key file seals: 12 bytes of nonce, 16 bytes of tag, then the ciphertext (AES-256-GCM). */
export const FILE_SEAL = { algorithm: 'aes-256-gcm', nonceBytes: 12, tagBytes: 16 } as const;

/** Returns the context as additional authenticated data for AES-256-GCM. */
export const authenticatedData = ({ accessKey, uid }: SealContext): Buffer =>
  Buffer.from(JSON.stringify([accessKey, uid]));

/** Creates a decrypter that uses a key file (32 bytes in hex). `boundTo`: the data that the ciphertext is bound to. */
export const keyFileDecrypt = (path: string) => {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  return (sealed: Uint8Array, boundTo: Uint8Array): Buffer => {
    const { algorithm, nonceBytes, tagBytes } = FILE_SEAL;
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(boundTo);
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  };
};

/** Creates a decrypter of credentials that uses a key file, for the local run. */
export const fileDecrypt = (path: string): Decrypt => {
  const decrypt = keyFileDecrypt(path);
  return async (sealed, context) => decrypt(sealed, authenticatedData(context));
};

/** Parses decrypted credentials. @throws Error that quotes nothing of the plaintext, because errors are logged */
function parseCredentials(plaintext: Uint8Array): Credentials {
  try {
    const { secret, passphrase } = JSON.parse(Buffer.from(plaintext).toString('utf8'));
    if (typeof secret === 'string' && typeof passphrase === 'string') return { secret, passphrase };
  } catch {
    // Drop the parser's error: it quotes the plaintext.
  }
  throw new Error('Sealed credentials must be JSON with the strings "secret" and "passphrase"');
}

/** Returns a store that caches credentials by their sealed bytes, so that a rotation takes effect at once. */
export const createCredentialStore = (decrypt: Decrypt) => {
  const decrypted = new BoundedMap<string, Credentials>(10_000);
  return {
    async decrypt(
      { accessKey, uid, credentials }: SealContext & Pick<ApiKey, 'credentials'>,
      abortSignal: AbortSignal,
    ): Promise<Credentials> {
      // The seal is bound to access key and UID.
      const cacheKey = `${accessKey} ${uid} ${Buffer.from(credentials).toString('base64')}`;
      const cached = decrypted.get(cacheKey);
      if (cached) return cached;
      const plain = parseCredentials(await decrypt(credentials, { accessKey, uid }, abortSignal));
      decrypted.set(cacheKey, plain);
      return plain;
    },
  };
};
