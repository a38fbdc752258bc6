import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { lock } from '../files/lock.ts';
import { writeFully } from '../files/write.ts';
import { Failure } from '../terminal/failure.ts';

/** The name of a result file, in the folder of its logs. */
export const RESULTS_FILE = 'ailog-results.jsonl';

/** One line of a result file: a step in the upload of one log. */
export interface Line {
  /** The file name of the log. It identifies the log in later runs. */
  readonly file: string;
  /** The base URL. A log that was uploaded to the local run is still new for a deployment. */
  readonly url: string;
  readonly accessKey: string;
  /** The UID of the team, if the credentials name it. */
  readonly uid?: string;
  /** `sending` is written before the first byte is sent. It is the last state of a log if the run was interrupted. */
  readonly state: 'sending' | 'stored' | 'not stored' | 'unknown';
  /** Hex SHA-256 of the file. */
  readonly digest: string;
  /** The order id that the command inserted into the log. */
  readonly order?: string;
  /** The id that the entry has if it is stored. Its first 13 digits are the timestamp of the request. */
  readonly entryId: string;
  /** The value of AI-LOG-RECEIPT, if the log is stored and the service sent one. */
  readonly receipt?: string;
  /** The reason, if the log is not stored. */
  readonly says?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The result file of a folder, as far as it concerns one service. */
export interface Journal {
  readonly last: (file: string) => Line | undefined;
  readonly add: (line: Omit<Line, 'url' | 'accessKey' | 'uid' | 'at'>) => void;
  readonly close: () => void;
}

interface Owner extends Pick<Line, 'url' | 'accessKey'> {
  readonly uid?: string | undefined;
  /** Other access keys of the same team. */
  readonly earlierKeys: readonly string[];
}

/**
 * Reads the lines of a result file, and the length of its complete lines: a power cut can leave half a line at the end.
 */
export function readJournal(path: string): { lines: Line[]; length: number } {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split('\n').slice(0, -1);
  return {
    length: Buffer.byteLength(whole),
    lines: lines.map((line, index) => {
      try {
        return JSON.parse(line);
      } catch {
        throw new Failure('usage', `Line ${index + 1} of ${path} is not JSON.`, {
          advice: 'Correct it, or use another result file: --results FILE.',
        });
      }
    }),
  };
}

/**
 * Checks that all results for a service are those of this team. The results of another team would make its logs look
 * stored.
 * @throws Failure that names the other team
 */
function requireOwner(path: string, lines: readonly Line[], { accessKey, uid, earlierKeys }: Owner): void {
  const ownKeys = new Set([accessKey, ...earlierKeys]);
  for (const line of lines) if (uid !== undefined && line.uid === uid) ownKeys.add(line.accessKey);
  const other = lines.find((line) => !ownKeys.has(line.accessKey));
  if (!other) return;
  const nameOf = (one: Pick<Line, 'accessKey' | 'uid'>) =>
    `${one.uid === undefined ? '' : `UID ${one.uid}, `}key ${one.accessKey}`;
  const isOtherTeam = uid !== undefined && other.uid !== undefined;
  throw new Failure(
    'usage',
    `${path} has the results of ${nameOf(other)}; this run is for ${nameOf({ accessKey, ...(uid !== undefined && { uid }) })}.`,
    {
      advice: `Use another result file: --results FILE.${isOtherTeam ? '' : ` If both keys belong to the same team: --earlier-key ${other.accessKey}`}`,
    },
  );
}

/**
 * Opens a result file (JSON lines) for one run of a team. `last` returns the last line about a log, and `add` returns
 * when the line is on disk.
 * @param wait milliseconds to wait for another run to end
 * @throws Failure if another process uses the file, if it cannot be read, or if it belongs to another team
 */
export async function openJournal(path: string, owner: Owner, wait = 0): Promise<Journal> {
  const unlock = await lock(path, wait, { doing: 'uploading this folder', is: 'an upload' });
  try {
    const { lines, length } = readJournal(path);
    const { url, accessKey, uid } = owner;
    const own = lines.filter((line) => line.url === url);
    requireOwner(path, own, owner);
    const last = new Map(own.map((line) => [line.file, line]));
    if (existsSync(path)) truncateSync(path, length);
    const descriptor = openSync(path, 'a', 0o600);
    return {
      last: (file) => last.get(file),
      add(step) {
        const { file, state, digest, ...rest } = step;
        const at = new Date().toISOString();
        const line: Line = { file, url, accessKey, ...(uid !== undefined && { uid }), state, digest, ...rest, at };
        last.set(file, line);
        writeFully(descriptor, Buffer.from(`${JSON.stringify(line)}\n`));
        fsyncSync(descriptor);
      },
      close() {
        closeSync(descriptor);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** A journal that keeps nothing, for a log without a file. */
export const noJournal: Journal = { last: () => undefined, add: () => {}, close: () => {} };
