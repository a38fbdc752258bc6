import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type Decrypt, keyFileDecrypt } from '../auth/credentialStore.ts';
import { rawPublicKeyOf } from '../c2sp/ed25519.ts';
import { formatVerifierKey, type VerifierKey, verifierKey } from '../c2sp/verifierKey.ts';
import { receiptKeyName } from '../tlog/receiptKeyNote.ts';
import {
  receiptKeyContext,
  receiptKeyItem,
  type receiptKeyTable,
  type SealedReceiptKey,
} from '../tlog/receiptKeyTable.ts';

type DecryptReceiptKey = Decrypt<ReturnType<typeof receiptKeyContext>>;

/** Creates a decrypter that uses a key file (32 bytes in hex). The local run uses it. */
export const fileDecryptReceiptKey = (path: string): DecryptReceiptKey => {
  const decrypt = keyFileDecrypt(path);
  return async (sealed, context) => decrypt(sealed, Buffer.from(JSON.stringify(context)));
};

/** A key that signs receipts. docs/decisions.md#receipt-key says why it is sealed and signs in the function. */
export interface ReceiptSigningKey {
  readonly key: VerifierKey;
  readonly privateKey: KeyObject;
  /** The sealed private half, by which a new key is recognized. */
  readonly sealed: Uint8Array;
}

interface ReceiptKeySource {
  readonly table: Pick<ReturnType<typeof receiptKeyTable>, 'getKey'>;
  readonly origin: string;
  readonly number: number;
  readonly decrypt: DecryptReceiptKey;
}

/** Creates a reader of the receipt key of a number, or the one before while the log has no new one. */
export const readReceiptKey =
  ({ table, origin, number, decrypt }: ReceiptKeySource) =>
  /** Returns the present key, decrypted if it is new. @throws Error if there is none, or if it is not the published */
  async (known: ReceiptSigningKey | undefined, abortSignal: AbortSignal): Promise<ReceiptSigningKey> => {
    let item: SealedReceiptKey | undefined;
    for (let k = number; k > 0 && !item; k -= 1) item = await table.getKey(receiptKeyItem(k), abortSignal);
    if (!item) throw new Error('There is no receipt key yet. The first run of the sequencer makes it.');
    const { sealedPrivateKey: sealed, verifierKey: published } = item;
    if (known && Buffer.compare(known.sealed, sealed) === 0) return known;
    const der = Buffer.from(await decrypt(sealed, receiptKeyContext(origin), abortSignal));
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const key = verifierKey(receiptKeyName(origin), rawPublicKeyOf(privateKey));
    if (formatVerifierKey(key) !== published)
      throw new Error(`The receipt key is not the published one, ${published}.`);
    return { key, privateKey, sealed };
  };
