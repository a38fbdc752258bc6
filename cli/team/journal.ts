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

/** One line of a result file: what happened to one log. */
export interface Line {
  /** The log's file name: what it is known by from run to run. */
  readonly file: string;
  /** The base URL it was sent to: what was tried on the local run is still to be sent to the real one. */
  readonly url: string;
  readonly accessKey: string;
  /** `sending` stands before the first byte is sent; it is the last word where a run was cut off. */
  readonly state: 'sending' | 'stored' | 'not stored' | 'unknown';
  /** Hex SHA-256 of the log. */
  readonly digest: string;
  /** The entry, or what it would be called. Its first 13 digits are the request's timestamp. */
  readonly entryId: string;
  /** Why not, where it is not stored. */
  readonly says?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The result file of a folder. */
export type Journal = ReturnType<typeof openJournal>;

/** Whether a process of that id runs. */
function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Takes the lock of a result file. @throws Failure where a running process has it: two would send each log twice */
function lock(path: string): () => void {
  const file = `${path}.lock`;
  if (existsSync(file)) {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0 && runs(pid)) {
      throw new Failure('usage', `Process ${pid} uploads this folder already.`, {
        advice: `Wait for it. If it is no upload, remove ${file}.`,
      });
    }
    rmSync(file, { force: true });
  }
  writeFileSync(file, String(process.pid), { flag: 'wx' });
  return () => rmSync(file, { force: true });
}

/** The lines of a result file, and the length of its whole lines: a power cut may have left half a line at its end. */
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
        throw new Failure('usage', `Line ${index + 1} of ${path} is no JSON.`, {
          advice: 'Correct it, or name another result file: --results FILE.',
        });
      }
    }),
  };
}

/**
 * Opens a result file, JSON lines, for one run. A line that was added is on disk before `add` returns.
 * @throws Failure where another process has it open, or it cannot be read
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
      /** The last word on a log. */
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
