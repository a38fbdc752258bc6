import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import { openRegularFile } from './openRegularFile.ts';
import { removedAtExit } from './removedAtExit.ts';

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

/** Checks that no file exists. @throws Failure that names those that do, or a folder of that name */
export function requireNoFile(paths: readonly string[], advice?: string): void {
  const folder = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  if (folder !== undefined) {
    throw new Failure('usage', `${folder} is a folder, not a file.`, { advice: 'Give the name of a new file.' });
  }
  // A link that leads nowhere is there, too.
  const existing = paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (existing.length > 0) throw fileExists(existing, advice);
}

function fileExists(existing: readonly string[], advice: string | undefined): Failure {
  const [files, exist, them] = existing.length === 1 ? ['file', 'exists', 'it'] : ['files', 'exist', 'them'];
  return new Failure('usage', `The ${files} ${existing.join(', ')} already ${exist}.`, {
    advice: advice ?? `Use another name, or delete ${them} first.`,
  });
}

/** Writes all bytes to an open file, at its current position. An error names the file. */
export function writeFully(path: string, file: number, bytes: Uint8Array): void {
  namingFile(path, () => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  });
}

// Windows has no O_NOFOLLOW.
const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = constants;

/** Creates a file for its owner only. @returns its descriptor @throws EEXIST if anything is there, a link too */
const openNew = (path: string): number => openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);

// Windows has no user ids.
const isOwn = (uid: number): boolean => uid === (process.geteuid?.() ?? uid);

/** Returns true for a file of this user, and not for a link to one. */
export function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && isOwn(stat.uid);
}

/** Opens a file to add to it, or creates it. @throws Failure if it is a link, has a second name or another owner */
export function openToAppend(path: string): number {
  const advice = 'Give the name of a file of your own, in a folder to which nobody else writes.';
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Failure('usage', `${path} is a link.`, { advice });
  const file = openRegularFile(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const { uid, nlink } = fstatSync(file);
  if (isOwn(uid) && nlink === 1) return file;
  closeSync(file);
  const why = isOwn(uid) ? 'has another name, too' : `belongs to the user ${uid}`;
  throw new Failure('usage', `${path} ${why}.`, { advice });
}

/** Runs a step with an open file, which an error of the file system then names. */
export function namingFile<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && 'code' in error && !('path' in error)) Object.assign(error, { path });
    throw error;
  }
}

/** Gives a file another name in one step, and replaces nothing. @throws EEXIST if there is a file of that name */
function linkNew(own: string, path: string): void {
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
 * Starts a file that gets its name when it is whole. Until then, it is beside it under a name that nobody can know
 * before, for its owner only, and goes at the end of this process at the latest.
 */
export function startFile(path: string) {
  const own = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openNew(own);
  const remove = removedAtExit(own);
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    write: (content: string | Uint8Array) =>
      writeFully(path, file, typeof content === 'string' ? Buffer.from(content) : content),
    /** Gives the whole file its name. On return, it is on the disk. @throws EEXIST if there is a file of that name */
    finish(give: (own: string, path: string) => void = linkNew): void {
      namingFile(path, () => fsyncSync(file));
      close();
      give(own, path);
      syncFolder(dirname(path));
    },
    end(): void {
      close();
      remove();
    },
  };
}

/** Creates a whole file for its owner in one step. When this returns, it is on the disk. @returns false if it exists */
export function createFile(path: string, content: string | Uint8Array): boolean {
  const file = startFile(path);
  try {
    file.write(content);
    file.finish();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    file.end();
  }
}

/** Replaces a file in one step: at any time, the old content or the new one is there. On return, it is on the disk. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const file = startFile(path);
  try {
    file.write(content);
    file.finish(renameSync);
  } finally {
    file.end();
  }
}

/** Has a file that another program wrote, in a folder of its owner only, on the disk and for this owner only. */
export function settleFile(path: string): void {
  const file = openSync(path, O_RDWR | O_NOFOLLOW);
  try {
    fchmodSync(file, 0o600);
    namingFile(path, () => fsyncSync(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Creates a folder, and those above it. @param root the one above it that somebody has named, if it is another
 * @throws Failure if one of them, from that one on, is a link, through which somebody else would get files
 */
export function makeFolder(path: string, root = path): void {
  if (path !== root) makeFolder(dirname(path), root);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Failure('usage', `${path} is a link.`, { advice: 'Name a folder to which nobody else writes.' });
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Writes files to the disk, all or none, each in one step. @throws Failure if one exists; the error of a file */
export function writeNew(files: readonly { path: string; text: string }[], advice?: string): void {
  const paths = files.map(({ path }) => path);
  requireNoFile(paths, advice);
  const created: string[] = [];
  try {
    for (const { path, text } of files) {
      if (!createFile(path, text)) throw fileExists([path], advice);
      created.push(path);
    }
  } catch (error) {
    for (const path of created) rmSync(path, { force: true });
    throw error;
  }
}
