import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../proof/evidence/journal.ts';
import { Failure } from '../shell/terminal/failure.ts';
import type { Terminal } from '../shell/terminal/terminal.ts';
import { counted } from '../shell/text/numbers.ts';
import type { Access } from './access.ts';
import { concernsCaller, concernsLogOnly, type DeliveryTimeouts, failDelivery } from './deliver.ts';
import { checkLog, readLogFile, sayObjection } from './readLog.ts';
import { planUpload, sendOnRecord } from './sendOnRecord.ts';

export interface Result {
  readonly file: string;
  readonly status: 'stored' | 'invalid' | 'rejected' | 'unreached' | 'unknown' | 'changed';
  readonly entryId?: string | undefined;
  /** The order that the log names; null if it names none. Absent if the log is invalid or was not read. */
  readonly orderId?: string | null | undefined;
  /** The reason why the log may name no order, or another one, by mistake. */
  readonly warning?: string | undefined;
  readonly receipt?: string | undefined;
  readonly receiptProblem?: string | undefined;
  readonly says?: string | undefined;
}

export interface FolderUpload extends DeliveryTimeouts {
  readonly journal: Journal;
  readonly again: boolean;
  /** Called with the result of each log that was not stored before. */
  readonly done: (result: Result) => void | Promise<void>;
  readonly skipped: (file: string) => void;
  /** Returns `later` if the service does not answer or is busy, instead of throwing. */
  readonly waits?: boolean;
}

/** Lists the logs of a folder. @param given its name for the message @throws Failure if it has none */
export function requireLogs(folder: string, given: string): string[] {
  const files = listLogs(folder);
  if (files.length === 0) throw new Failure('usage', `There are no .json files in ${given}.`);
  return files;
}

/** Lists the logs of a folder: `2.json` before `10.json`, and no hidden files, which editors and macOS put there. */
export const listLogs = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith('.json') && !item.name.startsWith('.'))
    .map(({ name }) => name)
    .sort(new Intl.Collator('en', { numeric: true }).compare);

const interrupted = () =>
  new Failure('interrupted', 'Interrupted between two logs. Run the command again to continue.');

/**
 * Uploads logs in turn, each step recorded before; none that is stored is sent again. Ctrl-C waits for the current one.
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
      progress?.advance(1, file);
      let body: Buffer;
      try {
        body = readLogFile(join(folder, file));
      } catch (error) {
        await done({ file, status: 'invalid', says: sayObjection(error) });
        continue;
      }
      const log = { file, body, digest: createHash('sha256').update(body).digest('hex') };
      const plan = planUpload(journal.last(file), log, { access, again });
      if (plan.do === 'skip') {
        skipped(file);
        continue;
      }
      if (plan.do === 'leave') {
        const { status, entryId, says } = plan;
        await done({ file, status, entryId, says });
        continue;
      }
      const { objection, orderId, warning } = checkLog(body);
      if (objection) {
        await done({ file, status: 'invalid', says: sayObjection(objection) });
        continue;
      }
      const delivery = await sendOnRecord(terminal, access, log, { ...timeouts, journal, resume: plan.resume });
      const { outcome, request, reply, receiptProblem } = delivery;
      const { entryId } = request;
      if (outcome === 'stored') {
        await done({ file, status: outcome, entryId, orderId, warning, receipt: reply.receipt, receiptProblem });
        continue;
      }
      if (terminal.signal.aborted && outcome !== 'unknown') throw interrupted();
      const retries = waits && !concernsCaller(delivery) && !concernsLogOnly(delivery) && outcome !== 'unknown';
      const perhaps = outcome === 'unknown' ? entryId : undefined;
      if (!retries) await done({ file, status: outcome, entryId: perhaps, orderId, says: reply.says });
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

/** The pause between two looks at the folder, and before the next attempt after the service did not answer. */
const LOOK_MS = 500;
const LATER_MS = 5000;

/** Returns size, time and mode of a file as text, to see that it changed, or can be read now. Empty if it is gone. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeMs} ${stat.mode}` : '';
}

/**
 * Uploads a folder, then each new log that two looks find unchanged, as a bot may be writing it. Failures of service or
 * network are tried again. @param pause waits between two looks
 * @throws Failure when the user stops it, or if the service rejects the key
 */
export async function watchFolder(
  terminal: Terminal,
  access: Access,
  folder: string,
  options: FolderUpload,
  pause: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<unknown> = sleep,
) {
  let seen = new Map<string, string>();
  const handled = new Map<string, string>();
  for (;;) {
    const now = new Map(listLogs(folder).map((file) => [file, versionOf(join(folder, file))]));
    const settled = [...now].filter(([file, version]) => seen.get(file) === version && handled.get(file) !== version);
    seen = now;
    let wait = LOOK_MS;
    for (const [file, version] of settled) {
      if (terminal.signal.aborted) break;
      if ((await uploadFolder(terminal, access, folder, [file], { ...options, waits: true })) === 'later') {
        wait = LATER_MS;
        break;
      }
      handled.set(file, version);
    }
    await pause(wait, undefined, { signal: terminal.signal }).catch((cause) => {
      throw new Failure('interrupted', 'Stopped watching.', { cause });
    });
  }
}
