import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Failure } from '../terminal/failure.ts';

interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Checks that no file exists. @throws Failure that names those that do */
export function requireNoFile(paths: readonly string[], advice?: string): void {
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length === 0) return;
  const [message, them] =
    existing.length === 1
      ? [`The file ${existing[0]} already exists.`, 'it']
      : [`The files ${existing.join(', ')} already exist.`, 'them'];
  throw new Failure('usage', message, { advice: advice ?? `Use another name, or delete ${them} first.` });
}

/**
 * Writes all bytes to an open file: one call of the system may write only some of them.
 * @param position the place in the file; without it, the current one
 */
export function writeFully(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, undefined, position === undefined ? null : position + done);
  }
}

/**
 * Runs a step with an open file. An error of the file system, such as that of a full disk, then names the file.
 * @throws what the step throws
 */
export function namingFile<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && 'code' in error && !('path' in error)) Object.assign(error, { path });
    throw error;
  }
}

/**
 * Writes files, all or none. When this returns, they are on the disk.
 * @throws Failure if one of them exists; an error of the file system if one cannot be written
 */
export function writeNew(files: readonly NewFile[], advice?: string): void {
  requireNoFile(
    files.map(({ path }) => path),
    advice,
  );
  const created: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = openSync(path, 'wx', 0o600);
      created.push(path);
      try {
        namingFile(path, () => {
          writeFully(file, Buffer.from(text));
          fsyncSync(file);
        });
      } finally {
        closeSync(file);
      }
    }
  } catch (error) {
    // The disk may be full: half a file would look like a whole one.
    for (const path of created) rmSync(path, { force: true });
    throw error;
  }
}

/**
 * Creates a file with all of its content in one step, for its owner only.
 * @returns false if there is one, which stays as it is
 */
export function createFile(path: string, text: string): boolean {
  const own = `${path}.${process.pid}`;
  try {
    namingFile(path, () => writeFileSync(own, text, { flush: true, mode: 0o600 }));
    try {
      linkSync(own, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
      // Some file systems have no links. There, the file is empty for a moment.
      namingFile(path, () => writeFileSync(path, text, { flag: 'wx', mode: 0o600 }));
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    // The disk may be full.
    rmSync(own, { force: true });
  }
}

/** Replaces a file in one step: whenever the process ends, the old content or the new one is there. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { flush: true, mode: 0o600 });
  renameSync(`${path}.new`, path);
}
