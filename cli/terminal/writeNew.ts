import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { Failure } from './failure.ts';

/** A file to write, readable for its owner only. */
interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Checks that no file exists. @throws Failure that names those that do */
export function requireNoFile(paths: readonly string[]): void {
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length === 0) return;
  const message = `${existing.length === 1 ? 'The file' : 'The files'} ${existing.join(', ')} already exist${existing.length === 1 ? 's' : ''}.`;
  throw new Failure('usage', message, { advice: 'Use another name, or delete them first.' });
}

/** Writes files, all or none. @throws Failure if one of them exists; an error of the file system if one cannot be written */
export function writeNew(files: readonly NewFile[]): void {
  requireNoFile(files.map(({ path }) => path));
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      writeFileSync(path, text, { flag: 'wx', flush: true, mode: 0o600 });
      written.push(path);
    }
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
}
