import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { orUndefined } from '../../functions/orUndefined.ts';
import { parseReceipt } from '../../functions/receipts/receiptFormat.ts';
import { receiptKeyName } from '../../functions/tlog/tlogTable.ts';
import { decodeReceiptHeader } from '../proof/evidence/receiptEvidence.ts';
import { writeNew } from '../shell/files/write.ts';
import { Failure } from '../shell/terminal/failure.ts';

/**
 * Checks that the receipt in a header is about this request. Its signature is not checked: that takes the policy of the
 * log, see `ailog verify`. @returns the problem without a full stop; undefined if there is none
 */
export function findReceiptProblem(
  header: string,
  { entryId, body, uid }: { entryId: string; body: Uint8Array; uid: string | undefined },
): string | undefined {
  try {
    const { text, signatures } = parseNote(decodeReceiptHeader(header));
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

/** Returns the content of the file: the note, or the header itself if it is damaged, so that nothing is lost. */
const contentOf = (header: string): string => orUndefined(() => decodeReceiptHeader(header)) ?? header;

/**
 * Checks that a receipt can be written to a file, before the upload that gets it.
 * @param known the receipt of an earlier run. The file may have it already.
 * @returns a function that writes the value of AI-LOG-RECEIPT to the disk, and never over a file
 * @throws Failure if the file exists with anything else, or cannot be created
 */
export function prepareReceiptFile(path: string, known: string | undefined): (header: string) => void {
  try {
    if (existsSync(path)) {
      if (known !== undefined && readFileSync(path, 'utf8') === contentOf(known)) return () => {};
      const advice = 'Give another file: --receipt FILE.';
      throw new Failure('usage', `${path} exists already, and is not overwritten. Nothing was sent.`, { advice });
    }
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw new Failure('usage', `The receipt cannot be written to ${path}: ${code}. Nothing was sent.`, {
      advice: 'Give a file in an existing folder: --receipt FILE.',
      cause,
    });
  }
  return (header) => writeNew([{ path, text: contentOf(header) }]);
}
