import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { type Journal, noJournal, openJournal } from '../evidence/journal.ts';
import { RESULTS_FILE } from '../evidence/resultFile.ts';
import { setOrderId } from '../evidence/setOrderId.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import type { DeliveryTimeouts } from './deliver.ts';
import { failDelivery } from './deliver.ts';
import { checkLog, readLog } from './readLog.ts';
import { prepareReceiptFile } from './receipt.ts';
import { type LogFile, type Plan, planUpload, sendOnRecord } from './sendOnRecord.ts';

interface FileUpload extends DeliveryTimeouts {
  /** The id of its order, if the log does not have it. */
  readonly order: bigint | undefined;
  /** The result file; by default, in the folder of the log. */
  readonly results: string | undefined;
  /** The file to write the receipt to. */
  readonly receipt: string | undefined;
  readonly again: boolean;
  readonly earlierKeys: readonly string[];
}

/** A stored log. `attempts` is 0 if an earlier run stored it. */
interface Uploaded {
  readonly entryId: string;
  readonly bodySha256: string;
  readonly bodyBytes: number;
  readonly orderId: string | null;
  /** The reason why the log may name no order by mistake. */
  readonly warning?: string;
  readonly attempts: number;
  /** The value of AI-LOG-RECEIPT, if the service sent one. */
  readonly receipt?: string;
  /** The file that the receipt was written to, besides the result file. */
  readonly receiptFile?: string;
  /** The reason why the receipt is not that of this upload, if it is not. */
  readonly receiptProblem?: string;
  readonly rateLimit?: string;
}

/** Checks a log as the service would. @throws Failure if it would be rejected */
function requireValid(name: string, body: Buffer): Pick<Uploaded, 'orderId' | 'warning'> {
  const { objection, orderId, warning } = checkLog(body);
  if (objection) throw new Failure('negative', `${name} would be rejected, ${objection.code}: ${objection.message}.`);
  return { orderId, ...(warning !== undefined && { warning }) };
}

/**
 * Opens the result file of a log. Bots may upload several logs of a folder at the same time, so it waits for its turn.
 */
async function openJournalOf(
  terminal: Terminal,
  access: Access,
  file: string,
  { results, earlierKeys, timeout, patience }: FileUpload,
): Promise<Journal> {
  if (file === '-') return noJournal;
  const path = resolve(terminal.cwd(), results ?? join(dirname(file), RESULTS_FILE));
  return openJournal(path, { ...access, earlierKeys }, timeout + patience).catch((cause) => {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(cause.code)) throw cause;
    throw new Failure('usage', `The result file ${path} cannot be written: ${cause.code}.`, {
      advice: 'Use another one: --results FILE.',
      cause,
    });
  });
}

/** Sends a log that is checked, unless the journal shows that it is stored. */
async function sendOnce(
  terminal: Terminal,
  access: Access,
  { name, log, journal, plan }: { name: string; log: LogFile; journal: Journal; plan: Plan },
  { timeout, patience }: FileUpload,
): Promise<Pick<Uploaded, 'entryId' | 'attempts' | 'receipt' | 'receiptProblem' | 'rateLimit'>> {
  if (plan.do === 'skip') {
    const { entryId, receipt } = plan;
    return { entryId, attempts: 0, ...(receipt !== undefined && { receipt }) };
  }
  if (plan.do === 'leave') {
    throw new Failure('negative', `${name} was not sent: ${plan.says}.`, { advice: `Its entry: ${plan.entryId}` });
  }
  const sent: { entryId?: string } = {};
  const watched: Journal = {
    ...journal,
    add: (line) => {
      sent.entryId = line.entryId;
      journal.add(line);
    },
  };
  const sending = { timeout, patience, journal: watched, resume: plan.resume, stop: terminal.signal };
  const delivery = await sendOnRecord(terminal, access, log, sending).catch((cause) => {
    if (!terminal.signal.aborted) throw cause;
    const known = `If it is stored, its entry is ${sent.entryId ?? plan.resume?.entryId}.`;
    const more =
      journal === noJournal ? '' : ' Run the same command again within 28 s: it sends the identical request.';
    throw new Failure('interrupted', `Interrupted: ${name} may or may not be stored.`, { advice: known + more, cause });
  });
  if (delivery.outcome !== 'stored') {
    if (terminal.signal.aborted && delivery.outcome !== 'unknown') {
      throw new Failure('interrupted', `Interrupted: ${name} is not stored.`);
    }
    throw failDelivery(name, delivery);
  }
  const { rateLimit, receipt } = delivery.reply;
  const { receiptProblem } = delivery;
  return {
    entryId: delivery.request.entryId,
    attempts: delivery.attempts,
    ...(receipt !== undefined && { receipt }),
    ...(receiptProblem !== undefined && { receiptProblem }),
    ...(rateLimit !== undefined && { rateLimit }),
  };
}

/**
 * Sends a log, and writes its receipt to a file. A receipt that cannot be written any more is shown: the log is stored
 * then, and only this run has it.
 */
async function keepReceipt<T extends { readonly receipt?: string }>(
  terminal: Terminal,
  plan: Plan,
  path: string | undefined,
  send: () => Promise<T>,
): Promise<T & Pick<Uploaded, 'receiptFile'>> {
  if (path === undefined) return send();
  const write = prepareReceiptFile(resolve(terminal.cwd(), path), plan.do === 'skip' ? plan.receipt : undefined);
  const sent = await send();
  try {
    if (sent.receipt === undefined) return sent;
    write(sent.receipt);
    return { ...sent, receiptFile: path };
  } catch (error) {
    const { message } = error as Error;
    terminal.note(
      `The receipt could not be written to ${path} (${message.replace(/\.$/, '')}). Keep it: ${sent.receipt}`,
    );
    return sent;
  }
}

/**
 * Uploads one log. A log from a file is recorded in a result file and stored once, however often the command runs.
 * @returns the entry
 * @throws Failure if the log is not stored, or if that is unknown
 */
export async function uploadFile(
  terminal: Terminal,
  access: Access,
  file: string,
  options: FileUpload,
): Promise<Uploaded> {
  const { order, again } = options;
  const { name, body: read } = await readLog(terminal, file);
  requireValid(name, read);
  const body = order === undefined ? read : setOrderId(read, order);
  const named = requireValid(name, body);

  const journal = await openJournalOf(terminal, access, file, options);
  try {
    const digest = createHash('sha256').update(read).digest('hex');
    const log: LogFile = { file: basename(file), body, digest, ...(order !== undefined && { order: String(order) }) };
    const plan = planUpload(journal.last(log.file), log, { access, again });
    const sent = await keepReceipt(terminal, plan, options.receipt, () =>
      sendOnce(terminal, access, { name, log, journal, plan }, options),
    );
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    return { bodySha256, bodyBytes: body.length, ...named, ...sent };
  } finally {
    journal.close();
  }
}
