import { createCipheriv, randomBytes } from 'node:crypto';
import { EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import {
  authenticatedData,
  type Credentials,
  FILE_SEAL,
  type SealContext,
} from '../../../functions/auth/credentialStore.ts';
import { readWhole } from '../../shell/files/readWhole.ts';

/** Seals (encrypts) credentials for an access key and UID. Only admins seal; the function only decrypts. */
export type Seal = (credentials: Credentials, context: SealContext) => Promise<Uint8Array>;

const plaintextOf = ({ secret, passphrase }: Credentials) => Buffer.from(JSON.stringify({ secret, passphrase }));

/** Creates a function that seals with a KMS key; the context is the encryption context. */
export const kmsSeal =
  (kms: KMSClient, keyArn: string): Seal =>
  async (credentials, { accessKey, uid }) => {
    const { CiphertextBlob } = await kms.send(
      new EncryptCommand({ KeyId: keyArn, Plaintext: plaintextOf(credentials), EncryptionContext: { accessKey, uid } }),
    );
    return CiphertextBlob as Uint8Array;
  };

/** Reads a key file: hexadecimal digits. */
export const readKey = (path: string): Buffer => Buffer.from(String(readWhole(path)).trim(), 'hex');

/** Creates a function that seals with a key file (32 bytes in hex), in the layout of `FILE_SEAL`. */
export const keyFileSeal = (path: string) => {
  const key = readKey(path);
  return (plaintext: Uint8Array, boundTo: Uint8Array): Buffer => {
    const { algorithm, nonceBytes, tagBytes } = FILE_SEAL;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(boundTo);
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  };
};

/** Creates a function that seals credentials with a key file. The local run uses it. */
export const fileSeal = (path: string): Seal => {
  const seal = keyFileSeal(path);
  return async (credentials, context) => seal(plaintextOf(credentials), authenticatedData(context));
};
