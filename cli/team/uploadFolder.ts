import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import type { Access } from './access.ts';
import { checkLog } from './checkLog.ts';
import { type Delivery, deliver, isFresh } from './deliver.ts';
import { failDelivery, mayGoOn } from './failDelivery.ts';
import type { Journal, Line } from './journal.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';
import type { Patience } from './uploadFile.ts';

/** What became of one log in this run. */
export interface Result {
  readonly file: string;
  readonly result: 'stored' | 'invalid' | 'refused' | 'unknown' | 'changed' | 'unreached';
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

/** What to do with a log, by the last word of the result file on it. */
export function planFor(
  last: Line | undefined,
  { access, body, digest, again }: { access: Access; body: Buffer; digest: string; again: boolean },
): { skip: true } | { leave: Pick<Result, 'result' | 'says'> } | { resume?: SignedRequest } {
  if (!last || last.state === 'not stored') return {};
  if (last.state === 'stored') {
    if (last.digest === digest) return { skip: true };
    return { leave: { result: 'changed', says: 'it was stored with another content; a new log needs a new name' } };
  }
  // The same time signs the same request, unless the log or the credentials are others now.
  const request = signRequest(access, body, Number(last.entryId.slice(0, 13)));
  if (request.entryId === last.entryId && isFresh(request)) return { resume: request };
  if (again) return {};
  return {
    leave: { result: 'unknown', says: 'an earlier run was cut off and may have stored it; --again uploads it anew' },
  };
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
  {
    journal,
    again,
    done,
    ...patience
  }: Patience & { journal: Journal; again: boolean; done: (result: Result) => void },
): Promise<void> {
  const files = logsIn(folder);
  const progress = terminal.progress(files.length, `Uploading ${files.length} logs`);

  /** Sends one log, and has every step of it on record. */
  const send = (file: string, body: Buffer, resume: SignedRequest | undefined): Promise<Delivery> => {
    const digest = createHash('sha256').update(body).digest('hex');
    const before = journal.last(access.url, file);
    const note = (state: Line['state'], { entryId }: SignedRequest, says?: string) => {
      const { url, accessKey } = access;
      const at = new Date().toISOString();
      journal.add({ file, url, accessKey, state, digest, entryId, ...(says && { says }), at });
    };
    return deliver({
      ...patience,
      sign: () => signRequest(access, body, Date.now()),
      record: (request) => note('sending', request),
      tell: (sentence) => terminal.note(`${file}: ${sentence}`),
      stop: new AbortController().signal,
      ...(resume && { resume }),
    }).then((delivery) => {
      const { outcome, request, reply } = delivery;
      // What may be stored from an earlier run still may be when this one is refused.
      const doubtful = before && before.state !== 'not stored';
      if (outcome === 'stored') note('stored', request);
      else if (outcome === 'unknown') note('unknown', request, reply.says);
      else if (doubtful) journal.add({ ...before, state: 'unknown', says: reply.says, at: new Date().toISOString() });
      else note('not stored', request, reply.says);
      return delivery;
    });
  };

  try {
    for (const file of files) {
      if (terminal.signal.aborted) throw new Failure('interrupted', 'Stopped between two logs: run it again to go on.');
      const body = readFileSync(join(folder, file));
      const digest = createHash('sha256').update(body).digest('hex');
      const plan = planFor(journal.last(access.url, file), { access, body, digest, again });
      progress.advance(1, file);
      if ('skip' in plan) continue;
      if ('leave' in plan) {
        done({ file, ...plan.leave, entry: journal.last(access.url, file)?.entryId ?? '' });
        continue;
      }
      const objection = await checkLog(body);
      if (objection) {
        done({ file, result: 'invalid', says: `${objection.code}: ${objection.message}` });
        continue;
      }
      const delivery = await send(file, body, plan.resume);
      const { outcome, request, reply } = delivery;
      const entry = outcome === 'stored' || outcome === 'unknown' ? { entry: request.entryId } : {};
      done({ file, result: outcome, ...entry, ...(outcome !== 'stored' && { says: reply.says }) });
      if (outcome !== 'stored' && !mayGoOn(delivery)) throw failDelivery(file, delivery);
    }
  } finally {
    progress.stop('');
  }
}
