import { createHash } from 'node:crypto';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { parseReceipt } from '../../functions/receipts/receiptFormat.ts';
import { receiptKeyName } from '../../functions/tlog/receiptKeyNote.ts';
import { receiptNoteOf } from '../proof/evidence/judge.ts';

/**
 * Checks that the receipt in a header is about this request. Its signature is not checked: that takes the policy of the
 * log, see `ailog verify`. @returns the problem without a full stop; undefined if there is none
 */
export function findReceiptProblem(
  header: string,
  { entryId, body, uid }: { entryId: string; body: Uint8Array; uid: string | undefined },
): string | undefined {
  try {
    const { text, signatures } = parseNote(receiptNoteOf(header));
    const receipt = parseReceipt(text);
    const keyName = receiptKeyName(receipt.origin);
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    if (!signatures.some(({ name }) => name === keyName)) return `no key ${keyName} signed it`;
    if (receipt.entryId !== entryId) return `it is about the entry ${receipt.entryId}, not ${entryId}`;
    if (receipt.bodySha256 !== bodySha256)
      return `it is about a body with the SHA-256 ${receipt.bodySha256}, not ${bodySha256}`;
    if (uid !== undefined && receipt.uid !== uid) return `it is about UID ${receipt.uid}, not ${uid}`;
    if (Math.abs(receipt.receivedAt - Number(entryId.slice(0, 13))) > CLOCK_TOLERANCE_MS) {
      return `its time ${receipt.receivedAt} is not within ${CLOCK_TOLERANCE_MS / 1000} s of the timestamp that was signed`;
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\.$/, '');
  }
}
