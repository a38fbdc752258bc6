import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from '../../functions/c2sp/base64.ts';
import { parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { parseReceipt, type Receipt } from '../../functions/receipts/receipt.ts';
import { receiptKeyName } from '../../functions/tlog/tlogTable.ts';
import { formatInstant } from '../text/time.ts';
import { checkBody, checkTime, collectFindings, type EvidenceFormat, type FindingsCollector } from './evidence.ts';
import { recordInclusion } from './inclusion.ts';
import { type SmallFile, textOf } from './smallFile.ts';

/** The start of every receipt, of this version and others. */
const RECEIPT_START = 'ai-log-receipt/';

/** The start of every header AI-LOG-RECEIPT. The 15 bytes of the text are exactly 20 characters of base64. */
const HEADER_START = Buffer.from(RECEIPT_START).toString('base64');

/** Returns the note in the value of a header AI-LOG-RECEIPT. @throws Error if it is not base64 of UTF-8 */
export function decodeReceiptHeader(value: string): string {
  const bytes = decodeBase64(value, 'The receipt');
  if (!isUtf8(bytes)) throw new Error('The receipt is not UTF-8');
  return bytes.toString();
}

/** Returns the note of a receipt in a file: the note itself, or that of the header. @throws Error if it is neither */
export function receiptNoteOf(file: SmallFile): string {
  const header = file.bytes.toString('latin1').trim();
  return file.isWhole && header.startsWith(HEADER_START) ? decodeReceiptHeader(header) : textOf(file);
}

/** Verifies that a receipt key of its log, as the policy names it, signed a note. @throws Error if it does not hold */
export function verifyReceipt(note: string, policy: Policy): Receipt {
  const parsed = parseNote(note);
  const signers = verifyNote(parsed, policy.receipts);
  const receipt = parseReceipt(parsed.text);
  const name = receiptKeyName(receipt.origin);
  if (signers.some((key) => key.name === name)) return receipt;
  throw new Error(
    policy.receipts.some((key) => key.name === name)
      ? `No key ${name} of the policy signed the receipt: it is forged, or its key is newer than the policy`
      : `The policy has no key ${name}, so it does not trust receipts of this log`,
  );
}

/** Records what a receipt shows whose signature holds. */
export function recordReceipt({ facts, proven }: FindingsCollector, receipt: Receipt): void {
  const { origin, uid, entryId, receivedAt, entryHash } = receipt;
  Object.assign(facts, { entryId, uid, receivedAt: formatInstant(receivedAt) });
  proven.push(
    `the service of ${origin} accepted the entry at ${formatInstant(receivedAt)}`,
    `it promised to put the entry into its transparency log, with the entry hash ${entryHash}`,
  );
}

/** A receipt: a signed note, or the value of the header AI-LOG-RECEIPT. */
export const receiptEvidence: EvidenceFormat = {
  name: 'receipt',
  options: ['body', 'log'],
  recognizes(text) {
    const start = text.replace(/^\ufeff/, '').trimStart();
    return start.startsWith(RECEIPT_START) || start.startsWith(HEADER_START);
  },
  async *verify(file, context) {
    const findings = collectFindings();
    const receipt = findings.attempt(() => verifyReceipt(receiptNoteOf(file), context.policy));
    if (receipt) {
      recordReceipt(findings, receipt);
      checkTime(findings, receipt.entryId, receipt.receivedAt);
      checkBody(findings, context.body, receipt);
      await recordInclusion(findings, receipt, context);
    }
    yield findings;
  },
};
