import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Failure } from '../terminal/failure.ts';

/** One line of a result file: a step in the upload of one log. */
export interface Line {
  /** The file name of the log. It identifies the log in later runs. */
  readonly file: string;
  /** The base URL. A log that was uploaded to the local run is still new for a deployment. */
  readonly url: string;
  readonly accessKey: string;
  /** `sending` is written before the first byte is sent. It is the last state of a log if the run was interrupted. */
  readonly state: 'sending' | 'stored' | 'not stored' | 'unknown';
  /** Hex SHA-256 of the log. */
  readonly digest: string;
  /** The id that the entry has if it is stored. Its first 13 digits are the timestamp of the request. */
  readonly entryId: string;
  /** The reason, if the log is not stored. */
  readonly says?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The result file of a folder. */
export type Journal = ReturnType<typeof openJournal>;

/** Checks that a process is running. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Locks a result file. @throws Failure if a running process has the lock: two runs would send each log twice */
function lock(path: string): () => void {
  const file = `${path}.lock`;
  if (existsSync(file)) {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0 && isRunning(pid)) {
      throw new Failure('usage', `Process ${pid} is already uploading this folder.`, {
        advice: `Wait until it ends. If it is not an upload, remove ${file}.`,
      });
    }
    rmSync(file, { force: true });
  }
  writeFileSync(file, String(process.pid), { flag: 'wx' });
  return () => rmSync(file, { force: true });
}

/** Reads the lines of a result file, and the length of its complete lines: a power cut can leave half a line at the end. */
function read(path: string): { lines: Line[]; length: number } {
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
 * Opens a result file (JSON lines) for one run. `add` returns when the line is on disk.
 * @throws Failure if another process uses the file, or if it cannot be read
 */
export function openJournal(path: string) {
  const unlock = lock(path);
  try {
    const { lines, length } = read(path);
    const nameOf = ({ url, file }: Pick<Line, 'url' | 'file'>) => JSON.stringify([url, file]);
    const last = new Map(lines.map((line) => [nameOf(line), line]));
    if (existsSync(path)) truncateSync(path, length);
    const descriptor = openSync(path, 'a', 0o600);
    return {
      /** Returns the last line about a log. */
      last: (url: string, file: string): Line | undefined => last.get(nameOf({ url, file })),
      add(line: Line): void {
        last.set(nameOf(line), line);
        writeSync(descriptor, `${JSON.stringify(line)}\n`);
        fsyncSync(descriptor);
      },
      close(): void {
        closeSync(descriptor);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
