import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { checkLog } from './checkLog.ts';
import { type DeliveryTimeouts, isFresh } from './deliver.ts';
import { failDelivery, mayGoOn } from './failDelivery.ts';
import type { Journal, Line } from './journal.ts';
import { type FolderLog, sendOnRecord } from './sendOnRecord.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** What became of one log in this run. */
export interface Result {
  readonly file: string;
  readonly result: 'stored' | 'invalid' | 'rejected' | 'unreached' | 'unknown' | 'changed';
  /** The entry, or what it would be called. */
  readonly entry?: string;
  readonly says?: string;
}

/** The logs of a folder, in the order of their names: `2.json` before `10.json`. */
export const logsIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith('.json'))
    .map(({ name }) => name)
    .sort(new Intl.Collator('en', { numeric: true }).compare);

function readLog(folder: string, file: string): FolderLog {
  const body = readFileSync(join(folder, file));
  return { file, body, digest: createHash('sha256').update(body).digest('hex') };
}

/** What to do with a log, by the last word of the result file on it: pass it over, leave it for a reason, or send it. */
function planFor(
  last: Line | undefined,
  { body, digest }: FolderLog,
  { access, again }: { access: Access; again: boolean },
): 'skip' | Pick<Result, 'result' | 'says' | 'entry'> | { resume?: SignedRequest } {
  if (!last || last.state === 'not stored') return {};
  const entry = last.entryId;
  if (last.state === 'stored') {
    if (last.digest === digest) return 'skip';
    return { result: 'changed', entry, says: 'it was stored with another content; a new log needs a new name' };
  }
  // The same time makes the same request, unless the log or the credentials are others now.
  const request = signRequest(access, body, Number(entry.slice(0, 13)));
  if (request.entryId === entry && isFresh(request)) return { resume: request };
  if (again) return {};
  return { result: 'unknown', entry, says: 'an earlier run may have stored it; --again uploads it anew' };
}

/**
 * Uploads the logs of a folder one after the other, and writes down each step before it is taken: what is stored is not
 * sent again, however often this runs.
 * @param done called with what became of each log that was not stored before
 * @throws Failure where the rest would fare no better, or the user wants to stop
 */
export async function uploadFolder(
  terminal: Terminal,
  access: Access,
  folder: string,
  options: DeliveryTimeouts & { journal: Journal; again: boolean; done: (result: Result) => void },
): Promise<void> {
  const { journal, again, done, ...timeouts } = options;
  const files = logsIn(folder);
  const progress = terminal.progress(files.length, `Uploading ${files.length} logs`);
  try {
    for (const file of files) {
      if (terminal.signal.aborted) throw new Failure('interrupted', 'Stopped between two logs: run it again to go on.');
      const log = readLog(folder, file);
      const plan = planFor(journal.last(access.url, file), log, { access, again });
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
      if (outcome !== 'stored' && !mayGoOn(delivery)) throw failDelivery(file, delivery);
    }
  } finally {
    progress.stop(`${files.length} logs`);
  }
}
