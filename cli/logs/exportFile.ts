import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { EntryKey } from '../data/entriesReader.ts';
import { Failure } from '../terminal/failure.ts';

/** Where an export stands after its last complete page: all that it takes to go on. */
export interface ExportState {
  /** What is exported; another question cannot go on in this file. */
  readonly question: string;
  /** Entries received later are left out, so that what is exported does not depend on how long it takes. */
  readonly receivedUntil: number;
  /** Length of the file up to there, in bytes. */
  readonly bytes: number;
  readonly entries: number;
  readonly damaged: number;
  /** The last entry that was looked at; absent: none. */
  readonly after?: EntryKey;
}

/**
 * A file that is written page by page, and that has its name only when it is complete. Until then there are `FILE.part`
 * and `FILE.part.json`, its state. A page counts once both are on disk; what follows it in the part, be it half a line,
 * is cut off when the export goes on. So nothing is missing and nothing doubled, wherever the process was ended.
 */
export function openExportFile(path: string, fresh: Omit<ExportState, 'bytes' | 'entries' | 'damaged'>) {
  const part = `${path}.part`;
  const note = `${part}.json`;
  if (existsSync(path)) {
    throw new Failure('usage', `The file ${path} exists already.`, {
      advice: 'Name another one, or delete it first.',
    });
  }
  const goesOn = existsSync(part) && existsSync(note);
  const state: ExportState = goesOn
    ? JSON.parse(readFileSync(note, 'utf8'))
    : { ...fresh, bytes: 0, entries: 0, damaged: 0 };
  if (state.question !== fresh.question) {
    throw new Failure('usage', `${part} is the beginning of another export: ${state.question}.`, {
      advice: `Give the same options to go on with it, name another file, or delete ${part}.`,
    });
  }
  const file = openSync(part, goesOn ? 'r+' : 'w', 0o600);
  ftruncateSync(file, state.bytes);
  let position = state.bytes;

  return {
    /** Where the export goes on. */
    state,
    goesOn,
    /** Appends text; it counts with the next `keep` only. */
    write(text: string): void {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, undefined, position + done);
      position += bytes.length;
    },
    /** A page is complete. */
    keep(next: Omit<ExportState, 'bytes' | 'question' | 'receivedUntil'>): void {
      fsyncSync(file);
      const { question, receivedUntil } = state;
      const text = JSON.stringify({ question, receivedUntil, bytes: position, ...next } satisfies ExportState);
      writeFileSync(`${note}.new`, text, { flush: true });
      renameSync(`${note}.new`, note);
    },
    /** All is written: the part becomes the file. */
    finish(): void {
      fsyncSync(file);
      renameSync(part, path);
      rmSync(note, { force: true });
    },
    close: () => closeSync(file),
  };
}
