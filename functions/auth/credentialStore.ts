import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DecryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import { BoundedMap } from '../boundedMap.ts';
import type { ApiKey } from './apiKeys.ts';

/** The secret half of an API key. */
export interface Credentials {
  readonly secret: string;
  readonly passphrase: string;
}

/** The key that credentials were sealed for. Moved to another access key or UID, they cannot be decrypted. */
export type SealContext = Pick<ApiKey, 'accessKey' | 'uid'>;

/** Decrypts sealed credentials. @throws Error if they were sealed under another key, or for another access key or UID */
export type Decrypt = (sealed: Uint8Array, context: SealContext, abortSignal: AbortSignal) => Promise<Uint8Array>;

/** Returns a function that decrypts with a KMS key; the context is the encryption context. */
export const kmsDecrypt =
  (kms: KMSClient, keyArn: string): Decrypt =>
  async (sealed, { accessKey, uid }, abortSignal) => {
    const { Plaintext } = await kms.send(
      new DecryptCommand({ KeyId: keyArn, CiphertextBlob: sealed, EncryptionContext: { accessKey, uid } }),
      { abortSignal },
    );
    return Plaintext as Uint8Array;
  };

/** The layout of a seal under a key file: 12 bytes of nonce, 16 of tag, then the ciphertext, AES-256-GCM. */
export const FILE_SEAL = { algorithm: 'aes-256-gcm', nonceBytes: 12, tagBytes: 16 } as const;

/** Returns the context as the authenticated data of a seal under a key file. */
export const authenticatedData = ({ accessKey, uid }: SealContext): Buffer =>
  Buffer.from(JSON.stringify([accessKey, uid]));

/** Returns a function that decrypts with a key file (32 bytes as hex), as the local run does. */
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

/** Returns the credentials in a decrypted seal. @throws Error that shows nothing of what it holds instead, because errors are logged */
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

/** The number of decrypted credentials that are kept in memory. */
const CREDENTIALS_KEPT = 10_000;

/** Decrypts credentials and keeps them in memory. */
export type CredentialStore = ReturnType<typeof createCredentialStore>;

/**
 * Returns a credential store. It remembers credentials by their sealed bytes, so that a rotation takes effect at once; access
 * key and UID are part of the name, because the seal is bound to them.
 */
export const createCredentialStore = (decrypt: Decrypt) => {
  const decrypted = new BoundedMap<string, Credentials>(CREDENTIALS_KEPT);
  return {
    /** Returns the credentials that were sealed for this access key and UID. @throws Error if they cannot be decrypted */
    async decrypt(
      { accessKey, uid, credentials }: SealContext & Pick<ApiKey, 'credentials'>,
      abortSignal: AbortSignal,
    ): Promise<Credentials> {
      const name = `${accessKey} ${uid} ${Buffer.from(credentials).toString('base64')}`;
      const known = decrypted.get(name);
      if (known) return known;
      const fresh = credentialsIn(await decrypt(credentials, { accessKey, uid }, abortSignal));
      decrypted.set(name, fresh);
      return fresh;
    },
  };
};
