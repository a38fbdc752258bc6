import { createPrivateKey, type KeyObject } from 'node:crypto';
import { DecryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { keyFileDecrypt } from '../auth/credentialStore.ts';
import { rawPublicKeyOf } from '../c2sp/ed25519.ts';
import { formatVerifierKey, type VerifierKey, verifierKey } from '../c2sp/verifierKey.ts';
import { type ReceiptKeys, receiptKeyContext, receiptKeyName } from '../tlog/tlogTable.ts';

/** Decrypts the private half of a receipt key. @throws Error if it was sealed with another key or for another log */
export type DecryptReceiptKey = (sealed: Uint8Array, origin: string, abortSignal: AbortSignal) => Promise<Uint8Array>;

/**
 * Creates a decryptor that uses a KMS key, under the encryption context of receipts.
 * @param keyArn undefined: the key that sealed it
 */
export const kmsDecryptReceiptKey =
  (kms: KMSClient, keyArn: string | undefined): DecryptReceiptKey =>
  async (sealed, origin, abortSignal) => {
    const { Plaintext } = await kms.send(
      new DecryptCommand({ KeyId: keyArn, CiphertextBlob: sealed, EncryptionContext: receiptKeyContext(origin) }),
      { abortSignal },
    );
    return Plaintext as Uint8Array;
  };

/** Creates a decryptor that uses a key file (32 bytes in hex). The local run uses it. */
export const fileDecryptReceiptKey = (path: string): DecryptReceiptKey => {
  const decrypt = keyFileDecrypt(path);
  return async (sealed, origin) => decrypt(sealed, Buffer.from(JSON.stringify(receiptKeyContext(origin))));
};

/** A key that signs receipts. docs/decisions/receipt-key.md says why it is sealed and signs in the function. */
export interface ReceiptSigningKey {
  readonly key: VerifierKey;
  readonly privateKey: KeyObject;
  /** The sealed private half, by which a new key is recognized. */
  readonly sealed: Uint8Array;
}

/** Creates a reader of the present receipt key of a log. @param tableName physical name of the Tlog table */
export const readReceiptKey =
  ({
    db,
    tableName,
    origin,
    decrypt,
  }: {
    db: DynamoDBDocumentClient;
    tableName: string;
    origin: string;
    decrypt: DecryptReceiptKey;
  }) =>
  /**
   * Returns the present key. It is decrypted only if it is not the known one.
   * @throws Error if there is none yet, if it cannot be decrypted, or if its published half is another key's
   */
  async (known: ReceiptSigningKey | undefined, abortSignal: AbortSignal): Promise<ReceiptSigningKey> => {
    const { Item } = await db.send(
      new GetCommand({ TableName: tableName, Key: { id: 'receipt-keys' }, ConsistentRead: true }),
      { abortSignal },
    );
    if (!Item) throw new Error('There is no receipt key yet. The first run of the sequencer makes it.');
    const { sealedPrivateKey: sealed, verifierKey: published } = (Item as ReceiptKeys).current;
    if (known && Buffer.compare(known.sealed, sealed) === 0) return known;
    const der = Buffer.from(await decrypt(sealed, origin, abortSignal));
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const key = verifierKey(receiptKeyName(origin), rawPublicKeyOf(privateKey));
    if (formatVerifierKey(key) !== published)
      throw new Error(`The receipt key is not the published one, ${published}.`);
    return { key, privateKey, sealed };
  };
