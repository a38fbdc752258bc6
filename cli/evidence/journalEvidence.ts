import { basename, dirname, join } from 'node:path';
import {
  type Context,
  checkBody,
  checkTime,
  collectFindings,
  type EvidenceFormat,
  type FindingsCollector,
} from './evidence.ts';
import { PROMISE_ONLY, recordReceipt } from './receiptEvidence.ts';
import { decodeReceiptHeader, verifyReceipt } from './receiptNote.ts';
import { type Line, readResults, requireLine } from './resultFile.ts';
import { setOrderId } from './setOrderId.ts';
import { readBeside } from './smallFile.ts';

/** Returns the body that a line is about, from the file beside the result file; undefined if there is none. */
function bodyOf({ file, order }: Line, folder: string): Context['body'] {
  // A result file of others must not name files elsewhere.
  if (file !== basename(file)) return undefined;
  const read = readBeside(join(folder, file));
  return read && { name: file, bytes: order === undefined ? read.bytes : setOrderId(read.bytes, BigInt(order)) };
}

function verifyLine(findings: FindingsCollector, line: Line, folder: string, { policy }: Context): void {
  const { attempt, wrong, notProven } = findings;
  const header = line.receipt;
  if (header === undefined) {
    notProven.push('that the service accepted the log: the result file has no receipt of it');
    return;
  }
  const receipt = attempt(() => verifyReceipt(decodeReceiptHeader(header), policy));
  if (!receipt) return;
  recordReceipt(findings, receipt);
  checkTime(findings, receipt.entryId, receipt.receivedAt);
  if (receipt.entryId !== line.entryId) wrong.push(`The receipt is not about the entry of the line, ${line.entryId}`);
  checkBody(
    findings,
    attempt(() => bodyOf(line, folder)),
    receipt,
  );
  notProven.push(PROMISE_ONLY);
}

/** The result file of `ailog upload`, with the receipts of all stored logs. */
export const journalEvidence: EvidenceFormat = {
  name: 'result file',
  options: [],

  recognizes: (text) => /^\{"file":"[^\n]*"url":"/.test(text),

  *verify({ name, path }, context) {
    const last = new Map<string, Line>();
    for (const [index, value] of readResults(path).entries()) {
      const findings = collectFindings();
      const line = findings.attempt(() => requireLine(value, { number: index + 1, path: name }));
      if (!line) yield findings;
      else if (line.state === 'stored') last.set(JSON.stringify([line.url, line.file]), line);
    }
    for (const line of last.values()) {
      const findings = collectFindings();
      findings.facts.log = line.file;
      verifyLine(findings, line, dirname(path), context);
      yield findings;
    }
  },
};
