import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../files/isRunning.ts';
import { replaceFile } from '../files/write.ts';
import { Failure } from '../terminal/failure.ts';
import { type AppendFile, type FileMark, openAppendFile } from './appendFile.ts';

/** The file in the work folder that says what was done. */
const NOTE = 'audit.json';

interface Note<State> {
  /** The subject of the audit. Another audit cannot continue in this folder. */
  readonly question: string;
  /** The process that works in the folder. */
  readonly process: number;
  readonly files: Readonly<Record<string, FileMark>>;
  readonly state: State;
}

/** Reads the note of an interrupted audit; undefined if there is none. @throws Failure if it is damaged or in use */
function readNote<State>(folder: string, advice: string): Note<State> | undefined {
  const path = join(folder, NOTE);
  let note: Partial<Note<State>>;
  try {
    note = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new Failure('usage', `${path} is damaged, so that the audit cannot continue.`, { advice, cause });
    }
    if (readdirSync(folder).length === 0) return undefined;
    throw new Failure('usage', `${folder} has files that are not those of an audit.`, {
      advice: 'Give --work with an empty or a new folder.',
    });
  }
  if (typeof note.question !== 'string' || typeof note.files !== 'object' || typeof note.state !== 'object') {
    throw new Failure('usage', `${path} is damaged, so that the audit cannot continue.`, { advice });
  }
  if (note.process !== process.pid && isRunning(Number(note.process))) {
    throw new Failure('usage', `Process ${note.process} is working in ${folder}.`, {
      advice: 'Wait for it, or give --work with another folder.',
    });
  }
  return note as Note<State>;
}

/**
 * Opens the folder in which an audit keeps what it read, so that memory does not grow with the log, and an interrupted
 * audit continues.
 * @param initial the state of an audit that begins
 * @throws Failure if the folder belongs to another audit or was changed
 */
export function openWorkFolder<State>(folder: string, question: string, initial: State) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const advice = `Delete ${folder} to start again.`;
  const note = readNote<State>(folder, advice);
  if (note && note.question !== question) {
    throw new Failure('usage', `${folder} belongs to another audit: ${note.question}.`, {
      advice: 'Give the same options to continue it, give --work with another folder, or delete the folder.',
    });
  }
  const files = new Map<string, AppendFile>();
  const open = (name: string): AppendFile => {
    try {
      return openAppendFile(join(folder, name), note?.files[name]);
    } catch (cause) {
      throw new Failure('usage', `${join(folder, name)} was changed since the audit was interrupted.`, {
        advice,
        cause,
      });
    }
  };
  for (const name of Object.keys(note?.files ?? {})) files.set(name, open(name));
  const save = (state: State): void => {
    const marks = Object.fromEntries([...files].map(([name, file]) => [name, file.mark()]));
    const text = JSON.stringify({ question, process: process.pid, files: marks, state } satisfies Note<State>);
    replaceFile(join(folder, NOTE), text);
  };
  if (!note) save(initial);

  return {
    /** The state from which the audit continues. */
    state: note?.state ?? initial,
    /** Returns a file of this name, which is created when it is needed. */
    file(name: string): AppendFile {
      const known = files.get(name) ?? open(name);
      files.set(name, known);
      return known;
    },
    /** Keeps everything up to now. An audit that ends later continues from here. */
    save,
    close(): void {
      for (const file of files.values()) file.close();
      files.clear();
    },
    /** Deletes the folder. */
    remove(): void {
      this.close();
      rmSync(folder, { recursive: true });
    },
  };
}
