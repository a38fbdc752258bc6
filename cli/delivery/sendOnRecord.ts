import type { Journal } from '../evidence/journal.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { type Delivery, type DeliveryTimeouts, deliver } from './deliver.ts';
import { findReceiptProblem } from './findReceiptProblem.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** A log that is uploaded on record. */
export interface TlogFile {
  /** The file name. */
  readonly file: string;
  /** The bytes to send: those of the file, unless an order id was inserted. */
  readonly body: Buffer;
  /** Hex SHA-256 of the file. */
  readonly digest: string;
  /** The order id that was inserted. */
  readonly order?: string;
}

/** The result of a delivery on record. */
interface RecordedDelivery extends Delivery {
  /** The reason why the receipt is not that of the request, if it is not. */
  readonly receiptProblem?: string;
}

/** The means to send a log on record. */
interface Means extends DeliveryTimeouts {
  readonly journal: Journal;
  /** The request of an earlier run whose outcome is unknown, if it can still be sent. */
  readonly resume: SignedRequest | undefined;
  /** Aborted when the delivery must end at once, even if its outcome is then unknown; the delivery throws. */
  readonly stop?: AbortSignal;
}

/**
 * Sends one log. Each request is recorded before it is sent, and the result before this returns. When the user interrupts
 * the command, the delivery goes on until its outcome is known, unless `stop` ends it.
 */
export async function sendOnRecord(
  terminal: Terminal,
  access: Access,
  { file, body, digest, order }: TlogFile,
  { journal, resume, stop = new AbortController().signal, ...timeouts }: Means,
): Promise<RecordedDelivery> {
  const before = journal.last(file);
  const ordered = order === undefined ? {} : { order };
  const delivery = await deliver({
    ...timeouts,
    sign: () => signRequest(access, body, Date.now()),
    record: ({ entryId }) => journal.add({ file, state: 'sending', digest, ...ordered, entryId }),
    log: (sentence) => terminal.note(`${file}: ${sentence}`),
    finish: terminal.signal,
    stop,
    ...(resume && { resume }),
  });
  const {
    outcome,
    request: { entryId },
    reply: { says, receipt },
  } = delivery;
  if (outcome === 'stored') {
    journal.add({ file, state: 'stored', digest, ...ordered, entryId, ...(receipt !== undefined && { receipt }) });
    const receiptProblem = receipt && findReceiptProblem(receipt, { entryId, body, uid: access.uid });
    if (!receiptProblem) return delivery;
    terminal.note(
      `WARNING: the receipt of ${file} is worth nothing: ${receiptProblem}. The log is stored, but you cannot prove it with this receipt. Keep it, and ask the organisers.`,
    );
    return { ...delivery, receiptProblem };
  }
  if (outcome === 'unknown') journal.add({ file, state: 'unknown', digest, ...ordered, entryId, says });
  // If an earlier run may have stored the log, a rejection in this run does not change that.
  else if (before && before.state !== 'not stored') {
    const kept = before.order === undefined ? {} : { order: before.order };
    journal.add({ file, state: 'unknown', digest: before.digest, ...kept, entryId: before.entryId, says });
  } else journal.add({ file, state: 'not stored', digest, ...ordered, entryId, says });
  return delivery;
}
