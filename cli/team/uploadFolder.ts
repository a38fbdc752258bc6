import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { checkLog } from './checkLog.ts';
import { type DeliveryTimeouts, isFresh } from './deliver.ts';
import { concernsLogOnly, failDelivery } from './failDelivery.ts';
import type { Journal, Line } from './journal.ts';
import { type FolderLog, sendOnRecord } from './sendOnRecord.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** The result of one log in this run. */
export interface Result {
  readonly file: string;
  readonly result: 'stored' | 'invalid' | 'rejected' | 'unreached' | 'unknown' | 'changed';
  /** The id that the entry has if it is stored. */
  readonly entry?: string;
  /** The reason, if the log is not stored. */
  readonly says?: string;
}

/** Lists the logs of a folder in order of their names: `2.json` before `10.json`. */
export const listLogs = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith('.json'))
    .map(({ name }) => name)
    .sort(new Intl.Collator('en', { numeric: true }).compare);

function readLog(folder: string, file: string): FolderLog {
  const body = readFileSync(join(folder, file));
  return { file, body, digest: createHash('sha256').update(body).digest('hex') };
}

/** Decides from the last line of the result file: skip the log, leave it with a reason, or send it. */
function planUpload(
  last: Line | undefined,
  { body, digest }: FolderLog,
  { access, again }: { access: Access; again: boolean },
): 'skip' | Pick<Result, 'result' | 'says' | 'entry'> | { resume?: SignedRequest } {
  if (!last || last.state === 'not stored') return {};
  const entry = last.entryId;
  if (last.state === 'stored') {
    if (last.digest === digest) return 'skip';
    return { result: 'changed', entry, says: 'the file changed after it was stored; a new log needs a new name' };
  }
  // The same timestamp creates the same request, unless the log or the credentials have changed.
  const request = signRequest(access, body, Number(entry.slice(0, 13)));
  if (request.entryId === entry && isFresh(request)) return { resume: request };
  if (again) return {};
  return { result: 'unknown', entry, says: 'an earlier run may have stored it; --again re-uploads it' };
}

/**
 * Uploads the logs of a folder one after the other, and records each step before it is made. Logs that are stored are not
 * sent again in later runs.
 * @param done called with the result of each log that was not stored before
 * @throws Failure if the remaining logs would fail too, or if the user wants to stop
 */
export async function uploadFolder(
  terminal: Terminal,
  access: Access,
  folder: string,
  options: DeliveryTimeouts & { journal: Journal; again: boolean; done: (result: Result) => void },
): Promise<void> {
  const { journal, again, done, ...timeouts } = options;
  const files = listLogs(folder);
  const progress = terminal.progress(files.length, `Uploading ${files.length} logs`);
  try {
    for (const file of files) {
      if (terminal.signal.aborted)
        throw new Failure('interrupted', 'Interrupted between two logs. Run the command again to continue.');
      const log = readLog(folder, file);
      const plan = planUpload(journal.last(access.url, file), log, { access, again });
      progress.advance(1, file);
      if (plan === 'skip') continue;
      if ('result' in plan) {
        done({ file, ...plan });
        continue;
      }
      const objection = checkLog(log.body);
      if (objection) {
        done({ file, result: 'invalid', says: `${objection.code}: ${objection.message}` });
        continue;
      }
      const delivery = await sendOnRecord(terminal, access, log, { ...timeouts, journal, resume: plan.resume });
      const { outcome, request, reply } = delivery;
      if (outcome === 'stored') done({ file, result: outcome, entry: request.entryId });
      else if (outcome === 'unknown') done({ file, result: outcome, entry: request.entryId, says: reply.says });
      else done({ file, result: outcome, says: reply.says });
      if (outcome !== 'stored' && !concernsLogOnly(delivery)) throw failDelivery(file, delivery);
    }
  } finally {
    progress.stop(`${files.length} logs`);
  }
}
