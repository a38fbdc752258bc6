import { parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import { parseVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { parseReceipt, type Receipt } from '../../functions/receipts/receiptFormat.ts';

/**
 * Returns the receipt in a header AI-LOG-RECEIPT.
 * @param keys the verifier keys of the receipts
 * @throws Error if none of the keys signed it
 */
export function openReceipt(header: string | undefined, keys: readonly string[]): Receipt {
  const note = parseNote(Buffer.from(header ?? '', 'base64').toString());
  if (verifyNote(note, keys.map(parseVerifierKey)).length === 0) throw new Error('No known key signed the receipt.');
  return parseReceipt(note.text);
}
