import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Decrypt, keyFileDecrypt } from '../auth/credentialStore.ts';
import { rawPublicKeyOf } from '../c2sp/ed25519.ts';
import { formatVerifierKey, type VerifierKey, verifierKey } from '../c2sp/verifierKey.ts';
import { type ReceiptKeys, receiptKeyContext, receiptKeyName } from '../tlog/tlogTable.ts';

type DecryptReceiptKey = Decrypt<ReturnType<typeof receiptKeyContext>>;

/** Creates a decrypter that uses a key file (32 bytes in hex). The local run uses it. */
export const fileDecryptReceiptKey = (path: string): DecryptReceiptKey => {
  const decrypt = keyFileDecrypt(path);
  return async (sealed, context) => decrypt(sealed, Buffer.from(JSON.stringify(context)));
};

/** Reads the receipt keys. @returns undefined before the first run of the sequencer */
export async function readReceiptKeys(db: DynamoDBDocumentClient, TableName: string, abortSignal: AbortSignal) {
  const get = new GetCommand({ TableName, Key: { id: 'receipt-keys' }, ConsistentRead: true });
  return (await db.send(get, { abortSignal })).Item as ReceiptKeys | undefined;
}

/** A key that signs receipts. docs/decisions/receipt-key.md says why it is sealed and signs in the function. */
export interface ReceiptSigningKey {
  readonly key: VerifierKey;
  readonly privateKey: KeyObject;
  /** The sealed private half, by which a new key is recognized. */
  readonly sealed: Uint8Array;
}

interface ReceiptKeySource {
  readonly db: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly origin: string;
  readonly decrypt: DecryptReceiptKey;
}

/** Creates a reader of the present receipt key of a log. */
export const readReceiptKey =
  ({ db, tableName, origin, decrypt }: ReceiptKeySource) =>
  /** Returns the present key, decrypted if it is new. @throws Error if there is none, or if it is not the published */
  async (known: ReceiptSigningKey | undefined, abortSignal: AbortSignal): Promise<ReceiptSigningKey> => {
    const keys = await readReceiptKeys(db, tableName, abortSignal);
    if (!keys) throw new Error('There is no receipt key yet. The first run of the sequencer makes it.');
    const { sealedPrivateKey: sealed, verifierKey: published } = keys.current;
    if (known && Buffer.compare(known.sealed, sealed) === 0) return known;
    const der = Buffer.from(await decrypt(sealed, receiptKeyContext(origin), abortSignal));
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const key = verifierKey(receiptKeyName(origin), rawPublicKeyOf(privateKey));
    if (formatVerifierKey(key) !== published)
      throw new Error(`The receipt key is not the published one, ${published}.`);
    return { key, privateKey, sealed };
  };
