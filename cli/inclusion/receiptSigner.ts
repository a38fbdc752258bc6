import { readReceiptKey } from '../../functions/receipts/receiptKeys.ts';
import { signReceipt } from '../../functions/receipts/receipts.ts';
import type { HashedAttributes } from '../../functions/tlog/entryHash.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import type { PublishedLog } from './publishedLog.ts';

/** The note of commands that write no receipt. */
export const NO_RECEIPT =
  'No receipt: your role may not decrypt the key that signs receipts. The receipt that the team got with its upload says the same.';

/**
 * Creates a signer that signs the receipt of an entry again, as a note, with the present receipt key. Only sign for
 * entries whose leaf is in the log, so that no changed row gets a receipt.
 * @returns undefined if the user may not decrypt that key
 */
export async function receiptSigner(
  { db, tables }: Target,
  { origin, decryptReceiptKey: decrypt, policy }: PublishedLog,
): Promise<((entry: HashedAttributes) => string) | undefined> {
  const readKey = readReceiptKey({ db, tableName: tables.tlog, origin, decrypt });
  const signingKey = await readKey(undefined, readTimeout()).catch((error) => {
    if (error.name === 'AccessDeniedException') return undefined;
    throw error;
  });
  if (!signingKey) return undefined;
  const { key } = signingKey;
  if (!policy.logs.some((log) => log.key.name === key.name && log.key.id === key.id)) {
    throw new Failure('unchecked', 'The receipt key is new, and its leaf is not in the log yet.', {
      advice: 'Try again in two minutes.',
    });
  }
  return (entry) => signReceipt(origin, signingKey, entry);
}
