import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { namingFile, replaceFile, requireNoFile, syncFolder, writeFully } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import { type ExportCounts, NO_COUNTS } from './exportPage.ts';

/** The state of an export after its last complete page. It is enough to continue the export. */
export interface ExportState extends ExportCounts {
  /** The selection and format. An export with another selection or format cannot continue in this file. */
  readonly question: string;
  /** The time at which the export began, in milliseconds since 1970. */
  readonly began: number;
  /** The length of the file after the last complete page, in bytes. */
  readonly bytes: number;
  /** Hex SHA-256 of these bytes. */
  readonly sha256: string;
  /** The last entry that was read; absent if there is none. */
  readonly after?: EntryKey;
}

/**
 * The amount of new output, and the time, after which a complete page makes an open file keep its state. After a kill,
 * the rest is exported again, 32 MiB in a second or two. A synchronization takes too long to follow every page.
 */
export const KEEP_AFTER = { bytes: 32 * 1024 * 1024, ms: 5000 };
export type KeepAfter = typeof KEEP_AFTER;

const CHUNK_BYTES = 1024 * 1024;

function hashOf(file: number, bytes: number) {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, bytes - done), done);
    if (read === 0) break;
    hash.update(chunk.subarray(0, read));
    done += read;
  }
  return hash;
}

/** Reads the state of an interrupted export. @throws Failure if the note is damaged */
function readState(note: string, advice: string): ExportState {
  try {
    const state: ExportState = JSON.parse(readFileSync(note, 'utf8'));
    if (typeof state.question === 'string' && Number.isSafeInteger(state.bytes) && typeof state.sha256 === 'string') {
      return state;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Failure('usage', `${note} is damaged, so that the export cannot continue.`, { advice });
}

/**
 * Opens a file that is written page by page and gets its name when it is complete. Until then there are `FILE.part` and
 * its state, `FILE.part.json`, kept on disk after some pages and when the file is closed. Everything after the last
 * kept page is cut off when the export continues, so that no entry is missing or repeated, whenever the process ended.
 * @throws Failure if the file exists, if the part belongs to another export, or if it was changed since
 */
export function openExportFile(
  path: string,
  { question, began }: Pick<ExportState, 'question' | 'began'>,
  keepAfter = KEEP_AFTER,
) {
  const part = `${path}.part`;
  const note = `${part}.json`;
  const advice = `Delete ${part} and ${note} to start again.`;
  requireNoFile([path]);

  const isContinued = existsSync(part) && existsSync(note);
  // A note without its part belongs to bytes that are gone. It must not be believed after the next interruption.
  if (!isContinued) rmSync(note, { force: true });
  const fresh = { ...NO_COUNTS, question, began, bytes: 0, sha256: createHash('sha256').digest('hex') };
  const state: ExportState = isContinued ? readState(note, advice) : fresh;
  if (state.question !== question) {
    const advice = `Use the same options to continue it, use another file, or delete ${part}.`;
    throw new Failure('usage', `${part} belongs to another export: ${state.question}.`, { advice });
  }
  const file = openSync(part, isContinued ? 'r+' : 'w+', 0o600);
  const hash = hashOf(file, state.bytes);
  const { size } = fstatSync(file);
  if (size < state.bytes || hash.copy().digest('hex') !== state.sha256) {
    closeSync(file);
    const problem = size < state.bytes ? `has ${size} bytes instead of ${state.bytes}` : 'was changed';
    throw new Failure('usage', `${part} ${problem} since the export was interrupted.`, { advice });
  }
  ftruncateSync(file, state.bytes);
  rmSync(`${note}.new`, { force: true });
  let position = state.bytes;
  let kept = { bytes: position, at: performance.now() };
  /** The state after the last complete page, if it is not kept yet. */
  let unkept: ExportState | undefined;

  const synchronize = () => {
    const state = unkept;
    // After a synchronization that failed, the next one succeeds without the bytes that were lost.
    unkept = undefined;
    namingFile(part, () => fsyncSync(file));
    unkept = state;
  };
  const keep = () => {
    if (!unkept) return;
    synchronize();
    replaceFile(note, JSON.stringify(unkept));
    kept = { bytes: position, at: performance.now() };
    unkept = undefined;
  };
  const keepNow = () => {
    try {
      keep();
    } catch {
      // The state that was kept before is still valid: only more is exported again.
    }
  };

  return {
    state,
    isContinued,
    /** Appends text. It belongs to the page that is completed next. @param text may be given as UTF-8 */
    write(text: string | Uint8Array): void {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      writeFully(part, file, bytes, position);
      hash.update(bytes);
      position += bytes.length;
    },
    /** Marks the page as complete. Keeps the state if it was last kept long or many bytes ago. */
    completePage(counts: ExportCounts, after: EntryKey): void {
      const sha256 = hash.copy().digest('hex');
      unkept = { ...counts, question, began: state.began, bytes: position, sha256, after };
      if (position - kept.bytes >= keepAfter.bytes || performance.now() - kept.at >= keepAfter.ms) keep();
    },
    keepNow,
    /** Reads the part again, and renames it. @throws Failure if it does not hold what was written */
    finish(): void {
      synchronize();
      const onDisk = hashOf(file, fstatSync(file).size).digest('hex');
      if (onDisk !== hash.copy().digest('hex')) {
        unkept = undefined;
        throw new Failure('negative', `${part} does not hold what was written to it.`, { advice });
      }
      requireNoFile([path]);
      renameSync(part, path);
      unkept = undefined;
      rmSync(note, { force: true });
      syncFolder(dirname(path));
    },
    /** Closes the file. If it is not finished, its state is kept. */
    close(): void {
      // On a full disk, the bytes of the page that was not completed take the space of the note.
      if (unkept) ftruncateSync(file, unkept.bytes);
      keepNow();
      closeSync(file);
    },
  };
}
