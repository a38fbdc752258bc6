import { closeSync, fsyncSync, ftruncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseJson } from '../../../functions/ailog/plainNames.ts';
import { lock } from '../../shell/files/lock.ts';
import { readOpened } from '../../shell/files/readWhole.ts';
import { namingFile, openToAppend, syncFolder, writeFully } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { isJson } from '../../shell/text/json.ts';

export const RESULTS_FILE = 'ailog-results.jsonl';

/** The largest result file that is read: more than 150 000 logs. */
export const RESULTS_LIMIT_BYTES = 256 * 1024 * 1024;

const LINE_CHARACTERS = 1024 * 1024;
const PAUSE_LINES = 1000;

const STATES = ['sending', 'stored', 'not stored', 'unknown'] as const;

const REQUIRED = ['file', 'url', 'accessKey', 'digest', 'entryId', 'at'] as const;
const OPTIONAL = ['uid', 'order', 'receipt', 'says'] as const;

/**
 * A step in the upload of one log. `file` identifies it in later runs, with the base `url`: a log that was uploaded to
 * the local run is still new for a deployment. `sending` is written before the first byte is sent: it is the last state
 * if the run was interrupted. `entryId` is that of the entry if it is stored, and begins with the timestamp.
 */
export type Line = Readonly<Record<(typeof REQUIRED)[number], string> & { state: (typeof STATES)[number] }> &
  Readonly<Partial<Record<(typeof OPTIONAL)[number], string | undefined>>>;

/** Reads a line of a result file, which others may have written. @param number from 1 @throws Failure if it is none */
function readLine(text: string, number: number, path: string): Line {
  const wrong = (problem: string) =>
    new Failure('usage', `Line ${number} of ${path} is not a result of an upload: ${problem}.`, {
      advice: 'Give the result file of an upload, such as ailog-results.jsonl.',
    });
  let value: unknown;
  try {
    if (text.length > LINE_CHARACTERS) throw new RangeError('The line is too long');
    value = parseJson(text);
  } catch (cause) {
    throw new Failure('usage', `Line ${number} of ${path} is not JSON.`, {
      advice: 'Correct it, or use another result file: --results FILE.',
      cause,
    });
  }
  if (typeof value !== 'object' || value === null) throw wrong('it is not an object');
  const line = value as Readonly<Record<string, unknown>>;
  const given = OPTIONAL.filter((name) => line[name] !== undefined);
  const name = [...REQUIRED, ...given].find((one) => typeof line[one] !== 'string');
  if (name !== undefined) throw wrong(`its ${name} is ${line[name] === undefined ? 'missing' : 'not a text'}`);
  if (!STATES.some((state) => state === line.state)) throw wrong(`its state is none of ${STATES.join(', ')}`);
  return value as Line;
}

/** Matches what every line begins with, up to the end of the name of the log, and what follows the name. */
const NAME = /^\{"file":"[^"\\]*(?:\\.[^"\\]*)*/s;
const AFTER_NAME = '","url":"';

/**
 * Checks that the text after the last line feed is what a power cut leaves of a line, which may end in zero bytes. A
 * JSON text is never half a line: it is a whole one, or another file. @param follows complete lines are before it
 */
function isHalfLine(rest: string, follows: boolean): boolean {
  let end = rest.length;
  while (rest[end - 1] === '\0') end -= 1;
  const written = rest.slice(0, end);
  if (written === '') return follows;
  const [start] = NAME.exec(written) ?? [];
  if (start === undefined) return '{"file":"'.startsWith(written);
  const after = written.slice(start.length);
  return after === '\\' || AFTER_NAME.startsWith(after) || (after.startsWith(AFTER_NAME) && !isJson(written));
}

export type Step = Omit<Line, 'url' | 'accessKey' | 'uid' | 'at'>;

export type Journal = Awaited<ReturnType<typeof openJournal>>;

type Owner = Pick<Line, 'url' | 'accessKey' | 'uid'>;

/** Checks that all results are of this team: those of another would make its logs look stored. @throws Failure */
function requireOwner(path: string, lines: readonly Line[], { accessKey, uid }: Owner): void {
  const ownKeys = new Set([accessKey]);
  for (const line of lines) if (uid !== undefined && line.uid === uid) ownKeys.add(line.accessKey);
  const other = lines.find((line) => !ownKeys.has(line.accessKey));
  if (!other) return;
  const [theirs, own] = [other, { accessKey, uid }].map(
    (one) => `${one.uid === undefined ? '' : `UID ${one.uid}, `}key ${one.accessKey}`,
  );
  const message = `${path} has the results of ${theirs}; this run is for ${own}.`;
  throw new Failure('usage', message, { advice: 'Use another result file: --results FILE.' });
}

/**
 * Reads a result file. A power cut can leave half a line: it is removed, and a whole one gets its line feed.
 * @throws Failure if it is too large, or not a result file; it then stays as it is
 */
async function repairResults(file: number, path: string): Promise<Line[]> {
  const text = String(readOpened(path, file, RESULTS_LIMIT_BYTES, 'Use another result file: --results FILE.'));
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const rest = text.slice(whole.length);
  const isCutOff = rest !== '' && isHalfLine(rest, whole !== '');
  const isOpen = rest !== '' && !isCutOff;
  const lines: Line[] = [];
  for (const line of (isOpen ? text : whole).split('\n').slice(0, isOpen ? undefined : -1)) {
    // Other work, such as a signal, has its turn.
    if (lines.length % PAUSE_LINES === 0) await setImmediate();
    lines.push(readLine(line, lines.length + 1, path));
  }
  if (isCutOff) ftruncateSync(file, Buffer.byteLength(whole));
  if (isOpen) writeFully(path, file, Buffer.from('\n'));
  return lines;
}

/**
 * Opens a result file (JSON lines) for one run of a team. `add` returns when the line is on disk.
 * @param wait milliseconds to wait for another run to end
 * @throws Failure if another process uses it, if it is a link or no result file, or of another team; it is then
 * unchanged
 */
export async function openJournal(path: string, owner: Owner, wait = 0) {
  const unlock = await lock(path, wait, { doing: 'uploading this folder', is: 'an upload' });
  let opened: number | undefined;
  try {
    const descriptor = openToAppend(path);
    opened = descriptor;
    // The file may be new: without its name on the disk, its lines would be lost.
    syncFolder(dirname(path));
    const { url, accessKey, uid } = owner;
    const own = (await repairResults(descriptor, path)).filter((line) => line.url === url);
    requireOwner(path, own, owner);
    const last = new Map(own.map((line) => [line.file, line]));
    return {
      last: (name: string): Step | undefined => last.get(name),
      add(step: Step): void {
        const { file, state, digest, ...rest } = step;
        const at = new Date().toISOString();
        const line: Line = { file, url, accessKey, uid, state, digest, ...rest, at };
        last.set(file, line);
        writeFully(path, descriptor, Buffer.from(`${JSON.stringify(line)}\n`));
        namingFile(path, () => fsyncSync(descriptor));
      },
      close(): void {
        closeSync(descriptor);
        unlock();
      },
    };
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    unlock();
    throw error;
  }
}

/** Creates a journal that is not on disk, for a log without a file. */
export function unwrittenJournal(): Journal {
  const steps = new Map<string, Step>();
  return { last: (file) => steps.get(file), add: (step) => steps.set(step.file, step), close: () => {} };
}
