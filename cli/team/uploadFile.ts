import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { checkLog } from './checkLog.ts';
import type { DeliveryTimeouts } from './deliver.ts';
import { failDelivery } from './failDelivery.ts';
import { type Journal, noJournal, openJournal, RESULTS_FILE } from './journal.ts';
import { planUpload } from './planUpload.ts';
import { readLog } from './readLog.ts';
import { type LogFile, sendOnRecord } from './sendOnRecord.ts';
import { setOrderId } from './setOrderId.ts';

/** The options of the upload of one log. */
interface FileUpload extends DeliveryTimeouts {
  /** The id of its order, if the log does not have it. */
  readonly order: bigint | undefined;
  /** The result file; by default, in the folder of the log. */
  readonly results: string | undefined;
  readonly again: boolean;
  readonly earlierKeys: readonly string[];
}

/** A stored log. `attempts` is 0 if an earlier run stored it. */
interface Uploaded {
  readonly entryId: string;
  readonly bodySha256: string;
  readonly bodyBytes: number;
  readonly orderId: string | null;
  readonly attempts: number;
  readonly rateLimit?: string;
}

/** Checks a log as the service would. @returns the order that it names. @throws Failure if it would be rejected */
function requireValid(name: string, body: Buffer): string | null {
  const { objection, orderId } = checkLog(body);
  if (objection) throw new Failure('negative', `${name} would be rejected, ${objection.code}: ${objection.message}.`);
  return orderId;
}

/** Opens the result file of a log. Bots may upload several logs of a folder at the same time, so it waits for its turn. */
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
  { name, log, journal }: { name: string; log: LogFile; journal: Journal },
  { again, timeout, patience }: FileUpload,
): Promise<Pick<Uploaded, 'entryId' | 'attempts' | 'rateLimit'>> {
  const plan = planUpload(journal.last(log.file), log, { access, again });
  if (plan.do === 'skip') return { entryId: plan.entryId, attempts: 0 };
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
  const means = { timeout, patience, journal: watched, resume: plan.resume, stop: terminal.signal };
  const delivery = await sendOnRecord(terminal, access, log, means).catch((cause) => {
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
  const { rateLimit } = delivery.reply;
  return {
    entryId: delivery.request.entryId,
    attempts: delivery.attempts,
    ...(rateLimit !== undefined && { rateLimit }),
  };
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
  const { order } = options;
  const { name, body: read } = await readLog(terminal, file);
  requireValid(name, read);
  const body = order === undefined ? read : setOrderId(read, order);
  const orderId = requireValid(name, body);

  const journal = await openJournalOf(terminal, access, file, options);
  try {
    const digest = createHash('sha256').update(read).digest('hex');
    const log: LogFile = { file: basename(file), body, digest, ...(order !== undefined && { order: String(order) }) };
    const sent = await sendOnce(terminal, access, { name, log, journal }, options);
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    return { bodySha256, bodyBytes: body.length, orderId, ...sent };
  } finally {
    journal.close();
  }
}
