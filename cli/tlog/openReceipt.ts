import { parseReceipt, type Receipt } from '../../functions/receipts/receipt.ts';
import { receiptKeyName } from '../../functions/tlog/logTable.ts';
import { parseNote, verifyNote } from '../../functions/tlog/note.ts';
import type { Policy } from '../../functions/tlog/policy.ts';

/**
 * Opens a signed receipt.
 * @param signed the note: the receipt with its signature
 * @throws Error if it is not a receipt, or if no receipt key of the policy for the log that it names signed it
 */
export function openReceipt(signed: string, { logs }: Policy): Receipt {
  const note = parseNote(signed);
  const receipt = parseReceipt(note.text);
  const keys = logs.map(({ key }) => key).filter(({ name }) => name === receiptKeyName(receipt.origin));
  if (verifyNote(note, keys).length > 0) return receipt;
  throw new Error(`No trusted key of ${receiptKeyName(receipt.origin)} signed the receipt.`);
}
