import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { insertOrder, orderNamed } from '../proof/evidence/insertOrder.ts';
import { type Journal, openJournal, RESULTS_FILE, unwrittenJournal } from '../proof/evidence/journal.ts';
import { Failure } from '../shell/terminal/failure.ts';
import type { Terminal } from '../shell/terminal/terminal.ts';
import type { Access } from './access.ts';
import { type DeliveryTimeouts, failDelivery } from './deliver.ts';
import { checkLog, readLog, wouldBeRejected } from './readLog.ts';
import { type LogFile, type Plan, planUpload, sendOnRecord } from './sendOnRecord.ts';

export interface UploadOptions extends DeliveryTimeouts {
  /** The result file; by default, in the folder of the logs. */
  readonly results: string | undefined;
  readonly again: boolean;
}

export interface FileUpload extends UploadOptions {
  readonly order: bigint | undefined;
}

function requireValid(name: string, body: Buffer) {
  const { objection, ...named } = checkLog(body);
  if (objection) throw wouldBeRejected(name, objection);
  return named;
}

/** Opens the result file of a log. It waits for its turn: bots may upload several logs of a folder at the same time. */
async function openJournalOf(terminal: Terminal, access: Access, file: string, options: FileUpload): Promise<Journal> {
  if (file === '-') return unwrittenJournal();
  const { results, timeout, patience } = options;
  const path = resolve(terminal.cwd(), results ?? join(dirname(file), RESULTS_FILE));
  return openJournal(path, access, timeout + patience).catch((cause) => {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(cause.code)) throw cause;
    const advice = 'Use another one: --results FILE.';
    throw new Failure('usage', `The result file ${path} cannot be written: ${cause.code}.`, { advice, cause });
  });
}

/** Sends a log that is checked, unless the journal shows that it is stored. `attempts` is 0 then. */
async function sendOnce(
  terminal: Terminal,
  access: Access,
  { log, journal, plan }: { log: LogFile; journal: Journal; plan: Plan },
  { name, isRecorded, timeout, patience }: DeliveryTimeouts & { name: string; isRecorded: boolean },
) {
  if (plan.do === 'skip') return { entryId: plan.entryId, receipt: plan.receipt, attempts: 0 };
  if (plan.do === 'leave') {
    throw new Failure('negative', `${name} was not sent: ${plan.says}.`, { advice: `Its entry: ${plan.entryId}` });
  }
  const sending = { timeout, patience, journal, resume: plan.resume, stop: terminal.signal };
  const delivery = await sendOnRecord(terminal, access, log, sending).catch((cause) => {
    if (!terminal.signal.aborted) throw cause;
    const known = `If it is stored, its entry is ${journal.last(log.file)?.entryId}.`;
    const more = ' Run the same command again within 28 s: it sends the identical request.';
    const advice = known + (isRecorded ? more : '');
    throw new Failure('interrupted', `Interrupted: ${name} may or may not be stored.`, { advice, cause });
  });
  const { outcome, request, reply, attempts, receiptProblem } = delivery;
  if (outcome !== 'stored') {
    const isCertain = terminal.signal.aborted && outcome !== 'unknown';
    throw isCertain ? new Failure('interrupted', `Interrupted: ${name} is not stored.`) : failDelivery(name, delivery);
  }
  return { entryId: request.entryId, attempts, receipt: reply.receipt, receiptProblem, rateLimit: reply.rateLimit };
}

/** Uploads a log; one of a file is stored once. @throws Failure if it is not stored, or if that is unknown */
export async function uploadFile(terminal: Terminal, access: Access, file: string, options: FileUpload) {
  const { order, again } = options;
  const { name, body: read } = await readLog(terminal, file);
  requireValid(name, read);
  const named = order === undefined ? undefined : orderNamed(read, String(order));
  if (named !== undefined) {
    const advice = 'Omit --order, or correct the log.';
    throw new Failure('usage', `The log names another order, ${named}.`, { advice });
  }
  const body = order === undefined ? read : insertOrder(read, String(order));
  const copies = requireValid(name, body);

  const journal = await openJournalOf(terminal, access, file, options);
  try {
    const digest = createHash('sha256').update(read).digest('hex');
    const log: LogFile = { file: basename(file), body, digest, order: order?.toString() };
    const plan = planUpload(journal.last(log.file), log, { access, again });
    const how = { ...options, name, isRecorded: file !== '-' };
    const sent = await sendOnce(terminal, access, { log, journal, plan }, how);
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    return { bodySha256, bodyBytes: body.length, ...copies, ...sent };
  } finally {
    journal.close();
  }
}
