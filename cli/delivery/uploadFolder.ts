import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal } from '../evidence/journal.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted } from '../text/numbers.ts';
import type { Access } from './access.ts';
import type { DeliveryTimeouts } from './deliver.ts';
import { concernsCaller, concernsLogOnly, failDelivery } from './deliver.ts';
import { checkLog } from './readLog.ts';
import { type LogFile, planUpload, sendOnRecord } from './sendOnRecord.ts';

/** The result of one log in this run. */
export interface Result {
  readonly file: string;
  readonly status: 'stored' | 'invalid' | 'rejected' | 'unreached' | 'unknown' | 'changed';
  /** The id that the entry has if it is stored. */
  readonly entryId?: string;
  /** The order that the log names; null if it names none. Absent if the log is invalid or was not read. */
  readonly orderId?: string | null;
  /** The reason why the log may name no order by mistake. */
  readonly warning?: string;
  /** The value of AI-LOG-RECEIPT, if the log is stored and the service sent one. */
  readonly receipt?: string;
  /** The reason why the receipt is not that of the upload, if it is not. */
  readonly receiptProblem?: string;
  /** The reason, if the log is not stored. */
  readonly says?: string;
}

/** The options of an upload of logs in a folder. */
export interface FolderUpload extends DeliveryTimeouts {
  readonly journal: Journal;
  readonly again: boolean;
  /** Called with the result of each log that was not stored before. */
  readonly done: (result: Result) => void;
  /** Called with the name of each log that was stored before. */
  readonly skipped: (file: string) => void;
  /** Returns `later` if the service does not answer or is busy, instead of throwing. */
  readonly waits?: boolean;
}

/**
 * Lists the logs of a folder in order of their names: `2.json` before `10.json`. Hidden files are none: editors and
 * macOS put their own files beside others.
 */
export const listLogs = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith('.json') && !item.name.startsWith('.'))
    .map(({ name }) => name)
    .sort(new Intl.Collator('en', { numeric: true }).compare);

function readLogFile(folder: string, file: string): LogFile {
  const body = readFileSync(join(folder, file));
  return { file, body, digest: createHash('sha256').update(body).digest('hex') };
}

const interrupted = () =>
  new Failure('interrupted', 'Interrupted between two logs. Run the command again to continue.');

/**
 * Uploads logs of a folder one after the other, and records each step before it is made. Logs that are stored are not
 * sent again in later runs. After Ctrl-C, it ends as soon as the outcome of the current log is known.
 * @param files names of logs in the folder
 * @returns `later` if the remaining logs should be tried later; only with `waits`
 * @throws Failure if the remaining logs would fail too, or if the user wants to stop
 */
export async function uploadFolder(
  terminal: Terminal,
  access: Access,
  folder: string,
  files: readonly string[],
  options: FolderUpload,
): Promise<'done' | 'later'> {
  const { journal, again, done, skipped, waits = false, ...timeouts } = options;
  const progress = waits ? undefined : terminal.progress(files.length, `Uploading ${counted(files.length, 'log')}`);
  const announce = () =>
    terminal.note('Stopping as soon as the outcome of this log is known. Ctrl-C again stops at once.');
  terminal.signal.addEventListener('abort', announce, { once: true });
  try {
    for (const file of files) {
      if (terminal.signal.aborted) throw interrupted();
      const log = readLogFile(folder, file);
      const plan = planUpload(journal.last(file), log, { access, again });
      progress?.advance(1, file);
      if (plan.do === 'skip') {
        skipped(file);
        continue;
      }
      if (plan.do === 'leave') {
        const { status, entryId, says } = plan;
        done({ file, status, entryId, says });
        continue;
      }
      const { objection, orderId, warning } = checkLog(log.body);
      if (objection) {
        done({ file, status: 'invalid', says: `${objection.code}: ${objection.message}` });
        continue;
      }
      const delivery = await sendOnRecord(terminal, access, log, { ...timeouts, journal, resume: plan.resume });
      const { outcome, request, reply, receiptProblem } = delivery;
      if (outcome === 'stored') {
        const { receipt } = reply;
        done({
          file,
          status: outcome,
          entryId: request.entryId,
          orderId,
          ...(warning !== undefined && { warning }),
          ...(receipt !== undefined && { receipt }),
          ...(receiptProblem !== undefined && { receiptProblem }),
        });
        continue;
      }
      if (terminal.signal.aborted && outcome !== 'unknown') throw interrupted();
      const retries = waits && !concernsCaller(delivery) && !concernsLogOnly(delivery) && outcome !== 'unknown';
      if (!retries) {
        const { entryId } = request;
        done({ file, status: outcome, ...(outcome === 'unknown' && { entryId }), orderId, says: reply.says });
      }
      if (concernsLogOnly(delivery) || (waits && outcome === 'unknown')) continue;
      if (!retries) throw failDelivery(file, delivery);
      terminal.note(`${failDelivery(file, delivery).message} It is tried again.`);
      return 'later';
    }
    return 'done';
  } finally {
    terminal.signal.removeEventListener('abort', announce);
    progress?.stop(counted(files.length, 'log'));
  }
}
