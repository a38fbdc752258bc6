import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import { openRegularFile } from './openRegularFile.ts';

/** Brings the names of the files in a folder to the disk. */
export function syncFolder(folder: string): void {
  // Windows cannot flush a folder.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Files that are of no use without this process. An interruption ends it before the work that would remove them. */
const ownFiles = new Set<string>();
const removeOwn = () => {
  for (const path of ownFiles) rmSync(path, { force: true });
};

/** Has a file removed when this process ends, at the latest. @returns a function that removes it now */
export function removedAtExit(path: string): () => void {
  if (ownFiles.size === 0) process.once('exit', removeOwn);
  ownFiles.add(path);
  return () => {
    rmSync(path, { force: true });
    ownFiles.delete(path);
    if (ownFiles.size === 0) process.off('exit', removeOwn);
  };
}

/** Checks that no file exists. @throws Failure that names those that do, or a folder of that name */
export function requireNoFile(paths: readonly string[], advice?: string): void {
  const folder = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  if (folder !== undefined) {
    throw new Failure('usage', `${folder} is a folder, not a file.`, { advice: 'Give the name of a new file.' });
  }
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length === 0) return;
  const [files, exist, them] = existing.length === 1 ? ['file', 'exists', 'it'] : ['files', 'exist', 'them'];
  throw new Failure('usage', `The ${files} ${existing.join(', ')} already ${exist}.`, {
    advice: advice ?? `Use another name, or delete ${them} first.`,
  });
}

/**
 * Writes all bytes to an open file: a call of the system may write some. An error, as that of a full disk, names it.
 * @param position in the file; by default the current one
 */
export function writeFully(path: string, file: number, bytes: Uint8Array, position?: number): void {
  namingFile(path, () => {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, undefined, position === undefined ? null : position + done);
    }
  });
}

// Windows has neither O_NOFOLLOW nor user ids.
const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = constants;

/** Creates a file for its owner only. @returns its descriptor @throws EEXIST if anything is there, a link too */
const openNew = (path: string): number => openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);

/**
 * Opens a file to add to it, and creates it for its owner only. @returns its descriptor
 * @throws Failure if somebody else has put it there: it is a link, has a second name or another owner
 */
export function openToAppend(path: string): number {
  const advice = 'Give the name of a file of your own, in a folder to which nobody else writes.';
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Failure('usage', `${path} is a link.`, { advice });
  const file = openRegularFile(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const { uid, nlink } = fstatSync(file);
  const isOwn = uid === (process.geteuid?.() ?? uid);
  if (isOwn && nlink === 1) return file;
  closeSync(file);
  const why = isOwn ? 'has another name, too' : `belongs to the user ${uid}`;
  throw new Failure('usage', `${path} ${why}.`, { advice });
}

/** Runs a step with an open file. An error of the file system, such as that of a full disk, then names the file. */
export function namingFile<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && 'code' in error && !('path' in error)) Object.assign(error, { path });
    throw error;
  }
}

/**
 * Gives a whole file another name in one step. Unlike a rename, this never replaces what is there. Its first name stays
 * where the file system has hard links. @throws the error of the file system; EEXIST if there is a file of that name
 */
export function linkNew(own: string, path: string): void {
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // Some file systems have no links. There, the file is empty for a moment.
    closeSync(openNew(path));
    try {
      renameSync(own, path);
    } catch (cause) {
      rmSync(path, { force: true });
      throw cause;
    }
  }
}

/**
 * Writes a whole file under a name beside another one that nobody can know before, so that nobody has put a link there.
 * It is on the disk then, only its owner can read it, and it goes at the end of this process, at the latest.
 */
function writeBeside(path: string, content: string | Uint8Array) {
  const own = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openNew(own);
  const remove = removedAtExit(own);
  try {
    writeFully(path, file, typeof content === 'string' ? Buffer.from(content) : content);
    namingFile(path, () => fsyncSync(file));
    return { own, remove };
  } catch (error) {
    // The disk may be full.
    remove();
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Creates a whole file for its owner in one step. When this returns, it is on the disk. @returns false if it exists */
export function createFile(path: string, content: string | Uint8Array): boolean {
  const { own, remove } = writeBeside(path, content);
  try {
    linkNew(own, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    remove();
  }
}

/** Replaces a file in one step: at any time, the old content or the new one is there. On return, it is on the disk. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const { own, remove } = writeBeside(path, content);
  try {
    renameSync(own, path);
    syncFolder(dirname(path));
  } finally {
    remove();
  }
}

/** Writes files to the disk, all or none, each in one step. @throws Failure if one exists; the error if one cannot be written */
export function writeNew(files: readonly { path: string; text: string }[], advice?: string): void {
  const paths = files.map(({ path }) => path);
  requireNoFile(paths, advice);
  const created: string[] = [];
  try {
    for (const { path, text } of files) {
      if (!createFile(path, text)) requireNoFile([path], advice);
      created.push(path);
    }
  } catch (error) {
    for (const path of created) rmSync(path, { force: true });
    throw error;
  }
}
