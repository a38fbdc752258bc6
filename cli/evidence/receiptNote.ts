import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from '../../functions/c2sp/base64.ts';
import { parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { parseReceipt, type Receipt } from '../../functions/receipts/receipt.ts';
import { receiptKeyName } from '../../functions/tlog/tlogTable.ts';

/** The start of every receipt, of this version and others. */
export const RECEIPT_START = 'ai-log-receipt/';

/** Returns the note in the value of a header AI-LOG-RECEIPT. @throws Error if it is not base64 of UTF-8 */
export function decodeReceiptHeader(value: string): string {
  const bytes = decodeBase64(value, 'The receipt');
  if (!isUtf8(bytes)) throw new Error('The receipt is not UTF-8');
  return bytes.toString();
}

/**
 * Verifies a receipt: a receipt key of its log, as the policy names it, signed it.
 * @param note the signed note
 * @throws Error that says what does not hold
 */
export function verifyReceipt(note: string, policy: Policy): Receipt {
  const parsed = parseNote(note);
  const keys = policy.logs.map(({ key }) => key);
  const signers = verifyNote(parsed, keys);
  const receipt = parseReceipt(parsed.text);
  const name = receiptKeyName(receipt.origin);
  if (signers.some((key) => key.name === name)) return receipt;
  const known = keys.some((key) => key.name === name);
  throw new Error(
    known
      ? `No key ${name} of the policy signed the receipt: it is forged, or its key is newer than the policy`
      : `The policy has no key ${name}, so it does not trust receipts of this log`,
  );
}
