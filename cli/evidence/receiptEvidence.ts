import type { Receipt } from '../../functions/receipts/receipt.ts';
import { formatInstant } from '../text/time.ts';
import { checkBody, checkTime, collectFindings, type EvidenceFormat, type FindingsCollector } from './evidence.ts';
import { decodeReceiptHeader, RECEIPT_START, verifyReceipt } from './receiptNote.ts';
import { type SmallFile, textOf } from './smallFile.ts';

/** The start of every header AI-LOG-RECEIPT. The 15 bytes of the text are exactly 20 characters of base64. */
const HEADER_START = Buffer.from(RECEIPT_START).toString('base64');

/**
 * Returns the note of a receipt in a file: the note itself, or the value of the header.
 * @throws Error if it is neither
 */
export function receiptNoteOf(file: SmallFile): string {
  const header = file.bytes.toString('latin1').trim();
  return file.isWhole && header.startsWith(HEADER_START) ? decodeReceiptHeader(header) : textOf(file);
}

/** The statements that no receipt proves. */
export const PROMISE_ONLY =
  'that the entry is in the transparency log: the receipt promises it, and its proof shows it (ask the organisers for the files of ailog prove)';

/** Records what a receipt shows whose signature holds. */
export function recordReceipt(
  findings: FindingsCollector,
  { origin, uid, entryId, receivedAt, entryHash }: Receipt,
): void {
  Object.assign(findings.facts, { entryId, uid, receivedAt: formatInstant(receivedAt) });
  findings.proven.push(
    `the service of ${origin} accepted the entry at ${formatInstant(receivedAt)}`,
    `it promised to put the entry into its transparency log, with the entry hash ${entryHash}`,
  );
}

/** A receipt: a signed note, or the value of the header AI-LOG-RECEIPT. */
export const receiptEvidence: EvidenceFormat = {
  name: 'receipt',
  options: ['body'],

  recognizes(text) {
    const start = text.replace(/^\ufeff/, '').trimStart();
    return start.startsWith(RECEIPT_START) || start.startsWith(HEADER_START);
  },

  *verify(file, { policy, body }) {
    const findings = collectFindings();
    const receipt = findings.attempt(() => verifyReceipt(receiptNoteOf(file), policy));
    if (receipt) {
      recordReceipt(findings, receipt);
      checkTime(findings, receipt.entryId, receipt.receivedAt);
      checkBody(findings, body, receipt);
      findings.notProven.push(PROMISE_ONLY);
    }
    yield findings;
  },
};
