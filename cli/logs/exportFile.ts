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

/** The state of an export after its last complete page. It is enough to continue the export. */
export interface ExportState {
  /** The selection and format. An export with another selection or format cannot continue in this file. */
  readonly question: string;
  /** Entries received later are excluded, so that the result does not depend on the duration of the export. */
  readonly receivedUntil: number;
  /** The length of the file after the last complete page, in bytes. */
  readonly bytes: number;
  readonly entries: number;
  readonly damaged: number;
  /** The last entry that was read; absent if there is none. */
  readonly after?: EntryKey;
}

/**
 * Opens a file that is written page by page and gets its name when it is complete. Until then there are `FILE.part` and
 * its state, `FILE.part.json`. A page is complete when both are on disk. Everything after the last complete page is cut off
 * when the export continues, so that no entry is missing or repeated, no matter when the process ended.
 * @throws Failure if the file exists, or if the part belongs to another export
 */
export function openExportFile(path: string, fresh: Omit<ExportState, 'bytes' | 'entries' | 'damaged'>) {
  const part = `${path}.part`;
  const note = `${part}.json`;
  if (existsSync(path)) {
    throw new Failure('usage', `The file ${path} already exists.`, {
      advice: 'Use another name, or delete it first.',
    });
  }
  const isContinued = existsSync(part) && existsSync(note);
  const state: ExportState = isContinued
    ? JSON.parse(readFileSync(note, 'utf8'))
    : { ...fresh, bytes: 0, entries: 0, damaged: 0 };
  if (state.question !== fresh.question) {
    throw new Failure('usage', `${part} belongs to another export: ${state.question}.`, {
      advice: `Use the same options to continue it, use another file, or delete ${part}.`,
    });
  }
  const file = openSync(part, isContinued ? 'r+' : 'w', 0o600);
  ftruncateSync(file, state.bytes);
  let position = state.bytes;

  return {
    /** The state from which the export continues. */
    state,
    isContinued,
    /** Appends text. It is kept only after the next call of `keep`. */
    write(text: string): void {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, undefined, position + done);
      position += bytes.length;
    },
    /** Marks the page as complete. */
    keep(next: Omit<ExportState, 'bytes' | 'question' | 'receivedUntil'>): void {
      fsyncSync(file);
      const { question, receivedUntil } = state;
      const text = JSON.stringify({ question, receivedUntil, bytes: position, ...next } satisfies ExportState);
      writeFileSync(`${note}.new`, text, { flush: true });
      renameSync(`${note}.new`, note);
    },
    /** Renames the part to the file. */
    finish(): void {
      fsyncSync(file);
      renameSync(part, path);
      rmSync(note, { force: true });
    },
    close: () => closeSync(file),
  };
}
