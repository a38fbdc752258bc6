import type { Journal, Step } from '../proof/evidence/journal.ts';
import type { Terminal } from '../shell/terminal/terminal.ts';
import type { Access } from './access.ts';
import { type SignedRequest, signRequest } from './attempt.ts';
import { type Delivery, type DeliveryTimeouts, deliver, isFresh } from './deliver.ts';
import { findReceiptProblem } from './receiptProblem.ts';

/** The plan for a log: skip it, leave it with a reason, or send it. */
export type Plan =
  | { readonly do: 'skip'; readonly entryId: string; readonly receipt: string | undefined }
  | { readonly do: 'leave'; readonly status: 'changed' | 'unknown'; readonly entryId: string; readonly says: string }
  | { readonly do: 'send'; readonly resume?: SignedRequest };

/** Decides what to do with a log from its last step. @param again re-uploads what an earlier run may have stored */
export function planUpload(
  last: Step | undefined,
  { body, digest, order }: LogFile,
  { access, again }: { access: Access; again: boolean },
): Plan {
  if (!last || last.state === 'not stored') return { do: 'send' };
  const { entryId } = last;
  if (last.state === 'stored') {
    const changed = { do: 'leave', status: 'changed', entryId } as const;
    if (last.digest !== digest) {
      return { ...changed, says: 'the file changed after it was stored; a new log needs a new name' };
    }
    if (order !== undefined && order !== last.order) {
      const before = last.order === undefined ? 'without --order' : `with --order ${last.order}`;
      return { ...changed, says: `it was stored ${before}; a log of another order needs a new name` };
    }
    return { do: 'skip', entryId, receipt: last.receipt };
  }
  // The same timestamp creates the same request, unless the log or the credentials have changed.
  const request = signRequest(access, body, Number(entryId.slice(0, 13)));
  if (request.entryId === entryId && isFresh(request)) return { do: 'send', resume: request };
  if (again) return { do: 'send' };
  const says = 'an earlier run may have stored it; --again re-uploads it';
  return { do: 'leave', status: 'unknown', entryId, says };
}

export interface LogFile {
  readonly file: string;
  /** The bytes to send: those of the file, unless an order id was inserted. */
  readonly body: Buffer;
  readonly digest: string;
  readonly order?: string | undefined;
}

interface RecordOptions extends DeliveryTimeouts {
  readonly journal: Journal;
  readonly resume: SignedRequest | undefined;
  /** Aborted when the delivery must end at once, even if its outcome is then unknown; the delivery throws. */
  readonly stop?: AbortSignal;
}

/**
 * Sends a log: records each request before it is sent, and the result after it. Only `stop` interrupts this.
 * @returns the delivery, and the reason if the receipt does not belong to the request
 */
export async function sendOnRecord(
  terminal: Terminal,
  access: Access,
  { file, body, digest, order }: LogFile,
  { journal, resume, stop = new AbortController().signal, ...timeouts }: RecordOptions,
): Promise<Delivery & { readonly receiptProblem?: string | undefined }> {
  const before = journal.last(file);
  const delivery = await deliver({
    ...timeouts,
    sign: () => signRequest(access, body, Date.now()),
    record: ({ entryId }) => journal.add({ file, state: 'sending', digest, order, entryId }),
    log: (sentence) => terminal.note(`${file}: ${sentence}`),
    finish: terminal.signal,
    stop,
    resume,
  });
  const { outcome, request, reply } = delivery;
  const { entryId } = request;
  const { says, receipt } = reply;
  const step = { file, digest, order, entryId };
  if (outcome === 'stored') {
    journal.add({ ...step, state: outcome, receipt });
    const receiptProblem = receipt && findReceiptProblem(receipt, { entryId, body, uid: access.uid });
    if (!receiptProblem) return delivery;
    terminal.note(
      `WARNING: the receipt of ${file} is worth nothing. ${receiptProblem}. The log is stored, but you cannot prove it with this receipt. Keep it, and ask the organisers.`,
    );
    return { ...delivery, receiptProblem };
  }
  // If an earlier run may have stored the log, a rejection in this run does not change that.
  if (outcome !== 'unknown' && before && before.state !== 'not stored') {
    const { digest, order, entryId } = before;
    journal.add({ file, digest, order, entryId, state: 'unknown', says });
  } else journal.add({ ...step, state: outcome === 'unknown' ? outcome : 'not stored', says });
  return delivery;
}
