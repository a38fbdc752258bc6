import { basename, dirname, join } from 'node:path';
import { type Context, checkBody, checkTime, collectFindings, type EvidenceFormat } from './evidence.ts';
import { decodeReceiptHeader, recordInclusion, recordReceipt, verifyReceipt } from './receiptEvidence.ts';
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

async function verifyLine(line: Line, folder: string, context: Context) {
  const findings = collectFindings();
  const { facts, attempt, wrong, notProven } = findings;
  facts.log = line.file;
  const header = line.state === 'stored' ? line.receipt : undefined;
  if (header === undefined) {
    const why = line.state === 'stored' ? 'the result file has no receipt of it' : `its last state is "${line.state}"`;
    notProven.push(`that the service accepted the log: ${why}`);
    return findings;
  }
  const receipt = attempt(() => verifyReceipt(decodeReceiptHeader(header), context.policy));
  if (!receipt) return findings;
  recordReceipt(findings, receipt);
  checkTime(findings, receipt.entryId, receipt.receivedAt);
  if (receipt.entryId !== line.entryId) wrong.push(`The receipt is not about the entry of the line, ${line.entryId}`);
  const body = attempt(() => bodyOf(line, folder));
  checkBody(findings, body, receipt);
  await recordInclusion(findings, receipt, context);
  return findings;
}

/** The result file of `ailog upload`, with the receipts of all stored logs. */
export const journalEvidence: EvidenceFormat = {
  name: 'result file',
  options: ['log'],
  recognizes: (text) => /^\{"file":"[^\n]*"url":"/.test(text),
  async *verify({ name, path }, context) {
    const last = new Map<string, Line>();
    for (const [index, value] of readResults(path).entries()) {
      const findings = collectFindings();
      const line = findings.attempt(() => requireLine(value, index + 1, name));
      if (!line) {
        yield findings;
        continue;
      }
      const log = JSON.stringify([line.url, line.file]);
      // A log that was stored stays so, whatever a later run of the command did.
      if (line.state === 'stored' || last.get(log)?.state !== 'stored') last.set(log, line);
    }
    for (const line of last.values()) yield verifyLine(line, dirname(path), context);
  },
};
