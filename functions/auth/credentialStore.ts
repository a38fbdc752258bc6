import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DecryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { ApiKey } from './apiKeys.ts';

/** The secret half of an API key. */
export interface Credentials {
  readonly secret: string;
  readonly passphrase: string;
}

/** What a seal is bound to, besides its key: sealed credentials moved to another access key or UID do not open. */
export type SealContext = Pick<ApiKey, 'accessKey' | 'uid'>;

/** Opens sealed credentials. @throws where they were sealed under another key or for another access key or UID. */
export type Decrypt = (sealed: Uint8Array, context: SealContext, abortSignal: AbortSignal) => Promise<Uint8Array>;

/** Opens what was sealed under a KMS key; the context is the encryption context. */
export const kmsDecrypt =
  (kms: KMSClient, keyArn: string): Decrypt =>
  async (sealed, { accessKey, uid }, abortSignal) => {
    const { Plaintext } = await kms.send(
      new DecryptCommand({ KeyId: keyArn, CiphertextBlob: sealed, EncryptionContext: { accessKey, uid } }),
      { abortSignal },
    );
    return Plaintext as Uint8Array;
  };

/** How a key file's seal is laid out: 12 bytes of nonce, 16 of tag, then the ciphertext, AES-256-GCM. */
export const FILE_SEAL = { algorithm: 'aes-256-gcm', nonceBytes: 12, tagBytes: 16 } as const;

/** The context as the authenticated data of a key file's seal. */
export const authenticatedData = ({ accessKey, uid }: SealContext): Buffer =>
  Buffer.from(JSON.stringify([accessKey, uid]));

/** Opens what was sealed under a key file (32 bytes as hex), as the local run does. */
export const fileDecrypt = (path: string): Decrypt => {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  return async (sealed, context) => {
    const { algorithm, nonceBytes, tagBytes } = FILE_SEAL;
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(authenticatedData(context));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  };
};

/** The credentials in an decrypted seal. @throws Error that shows nothing of what it holds instead, because errors are logged */
function credentialsIn(plaintext: Uint8Array): Credentials {
  try {
    const { secret, passphrase } = JSON.parse(Buffer.from(plaintext).toString('utf8'));
    if (typeof secret === 'string' && typeof passphrase === 'string') return { secret, passphrase };
  } catch {
    // The parser quotes what it read.
  }
  throw new Error(
    'What was sealed is not the credentials of an API key: JSON with the texts "secret" and "passphrase"',
  );
}

/** How many decrypted credentials are kept in memory; the oldest make room. */
const KEPT = 10_000;

/** Opens credentials and keeps them in memory. */
export type CredentialStore = ReturnType<typeof createCredentialStore>;

/**
 * The credential store of the function. It remembers by the sealed bytes, so that credentials that were sealed anew are decrypted anew
 * and a rotation holds at once; access key and UID are part of the name, because the seal is bound to them.
 */
export const createCredentialStore = (decrypt: Decrypt) => {
  const decrypted = new Map<string, Credentials>();
  return {
    async decrypt(
      { accessKey, uid, credentials }: SealContext & Pick<ApiKey, 'credentials'>,
      abortSignal: AbortSignal,
    ): Promise<Credentials> {
      const name = `${accessKey} ${uid} ${Buffer.from(credentials).toString('base64')}`;
      const known = decrypted.get(name);
      if (known) return known;
      const fresh = credentialsIn(await decrypt(credentials, { accessKey, uid }, abortSignal));
      decrypted.set(name, fresh);
      if (decrypted.size > KEPT) decrypted.delete(decrypted.keys().next().value as string);
      return fresh;
    },
  };
};
