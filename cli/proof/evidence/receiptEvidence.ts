import { isUtf8 } from 'node:buffer';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { decodeBase64 } from '../../../functions/c2sp/base64.ts';
import { parseNote, verifyNote } from '../../../functions/c2sp/note.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { parseReceipt, type Receipt } from '../../../functions/receipts/receiptFormat.ts';
import type { OpenedCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { receiptKeyName } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatInstant, formatTime } from '../../shell/text/time.ts';
import { type Judgement, judgePublication, quorumTime, timesOf } from '../inclusion/publication.ts';
import {
  type Context,
  checkBody,
  checkTime,
  collectFindings,
  type EvidenceFormat,
  type FindingsCollector,
} from './evidence.ts';
import { type SmallFile, textOf } from './smallFile.ts';

/** Records how many witnesses cosigned a checkpoint, and whether they are enough. */
export function recordQuorum(findings: FindingsCollector, checkpoint: OpenedCheckpoint, policy: Policy): void {
  const { proven, notProven, wrong } = findings;
  const names = [...checkpoint.cosigned].map(([name, timestamp]) => `${name} at ${formatInstant(timestamp * 1000)}`);
  const by = names.length === 0 ? 'no witness' : names.join(', ');
  const count = `${names.length} of ${policy.witnesses.size} witnesses`;
  if (policy.quorum === 'none') {
    if (names.length > 0) proven.push(`${count} cosigned this state of the log: ${by}`);
    notProven.push('that everyone sees the same log: the policy requires no witness');
  } else if (checkpoint.quorum) {
    proven.push(`${count} cosigned this state of the log: ${by}. The quorum ${policy.quorum} of the policy is reached`);
  } else {
    wrong.push(`The quorum ${policy.quorum} of the policy is missed: ${count} cosigned this state of the log (${by})`);
  }
}

export const inLog = ({ origin, size }: OpenedCheckpoint, index: number): string =>
  `the entry is in the transparency log of ${origin}, at index ${index} of ${size}`;

/** Records when an entry came into the log, and whether that was by the deadline of its receipt. */
export function recordTime(
  findings: FindingsCollector,
  when: Judgement,
  { receivedAt, deadline }: Pick<Receipt, 'receivedAt' | 'deadline'>,
): void {
  const { late, says } = when;
  const promised = `the service promised it by ${formatTime(deadline)}`;
  Object.assign(findings.facts, timesOf(when));
  if (late !== undefined) findings.promise = late === 0 ? 'kept' : 'late';
  if (late === undefined) {
    findings.notProven.push(`when the entry came into the log: ${says}, and ${promised}`);
  } else if (late === 0) {
    findings.proven.push(`received ${formatTime(receivedAt)}, says the service; in the log ${says}`);
  } else {
    findings.wrong.push(
      `The promise was kept LATE by ${formatDuration(late)}: in the log ${says}; ${promised}. The log stood still, or the entry was dated back`,
    );
  }
}

const PROMISE_ONLY =
  'that the entry is in the transparency log: the receipt promises it. Look it up if the log is public (--log URL); otherwise ask the organisers for its proof (ailog prove)';

/** Records whether the public log has the entry of a receipt, as promised. @throws Failure if the log cannot be read */
async function recordInclusion(
  findings: FindingsCollector,
  receipt: Receipt,
  { log, policy }: Pick<Context, 'log' | 'policy'>,
): Promise<void> {
  const { proven, notProven, wrong } = findings;
  if (!log) {
    notProven.push(PROMISE_ONLY);
    return;
  }
  const { origin, receivedAt, deadline } = receipt;
  if (log.checkpoint.origin !== origin) {
    notProven.push(
      `that the entry is in the transparency log: its receipt is of the log ${origin}, and ${log.url} is ${log.checkpoint.origin}. Give the URL of that log (--log)`,
    );
    findings.promise = 'unknown';
    return;
  }
  const wanted = { entryHash: Buffer.from(receipt.entryHash, 'hex'), receivedAt, deadline };
  try {
    const { index, isAbsent, isWhole } = await log.find(wanted);
    const has = `the log at ${log.url} has ${log.checkpoint.size} entries`;
    const until = formatTime(deadline);
    if (index !== undefined) {
      const publication = await log.publicationOf(index, receivedAt);
      proven.push(inLog(publication.proof, index));
      recordQuorum(findings, publication.proof, policy);
      findings.promise = 'unknown';
      recordTime(findings, judgePublication(publication, policy, deadline), receipt);
    } else if (Date.now() <= deadline + CLOCK_TOLERANCE_MS) {
      notProven.push(`that the entry is in the transparency log: not yet. The service promised it by ${until}`);
      findings.promise = 'pending';
    } else if (isAbsent) {
      const where = isWhole ? 'and not this one' : 'and this one is not where its unsigned hints say';
      const asOf = quorumTime(log.checkpoint, policy) ?? log.storedAt ?? deadline + 1;
      const old = `. Its newest checkpoint is of ${formatTime(asOf)}: the log stands still, or this is an old copy of it`;
      wrong.push(
        `The promise is BROKEN: the entry had to be in the log by ${until}; ${has}, ${where}${asOf > deadline ? '' : old}`,
      );
      findings.promise = 'broken';
    } else {
      notProven.push(`that the entry is in the transparency log: ${has}, too many to search without its hints`);
      findings.promise = 'unknown';
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    wrong.push(`${(error as Error).message.replace(/\.$/, '')} (${log.url})`);
  }
}

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

/**
 * Verifies a receipt, and whether its promise was kept.
 * @param bodyOf returns the body that was sent, if it holds; it can add findings
 */
export async function judgeReceipt(
  findings: FindingsCollector,
  readNote: () => string,
  context: Context,
  bodyOf: (receipt: Receipt) => Context['body'] = () => context.body,
): Promise<void> {
  const receipt = findings.attempt(() => verifyReceipt(readNote(), context.policy));
  if (!receipt) return;
  recordReceipt(findings, receipt);
  checkTime(findings, receipt.entryId, receipt.receivedAt);
  checkBody(findings, bodyOf(receipt), receipt);
  await recordInclusion(findings, receipt, context);
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
  const { origin, uid, entryId, receivedAt, entryHash, deadline } = receipt;
  Object.assign(facts, { entryId, uid, receivedAt: formatInstant(receivedAt) });
  proven.push(
    `the service of ${origin} accepted the entry at ${formatInstant(receivedAt)}`,
    `it promised to put the entry into its transparency log by ${formatTime(deadline)}, with the entry hash ${entryHash}`,
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
    await judgeReceipt(findings, () => receiptNoteOf(file), context);
    yield findings;
  },
};
