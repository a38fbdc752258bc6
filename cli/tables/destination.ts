import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The options that say where credentials go. */
export interface Destination {
  readonly output?: string | undefined;
  readonly outputDir?: string | undefined;
}

/** A file for credentials: its name as the user gave it, and its path. */
export interface CredentialsPath {
  readonly shown: string;
  readonly path: string;
}

/**
 * Plans the file of each key. Several keys need a folder. Files in it are named after their UIDs.
 * @param keys the keys; without an access key, the UID is unique
 * @returns the files in the order of the keys; undefined for a single key that goes to stdout
 * @throws Failure if several keys have no folder
 */
export function planFiles(
  { cwd }: Terminal,
  keys: readonly { readonly uid: string; readonly accessKey?: string }[],
  { output, outputDir }: Destination,
): (CredentialsPath | undefined)[] {
  if (output !== undefined && outputDir !== undefined) {
    throw new Failure('usage', 'Give either --output or --output-dir, not both.');
  }
  const inFolder = (name: string) => ({ shown: name, path: resolve(cwd(), name) });
  if (outputDir === undefined) {
    if (keys.length <= 1) return keys.map(() => (output === undefined ? undefined : inFolder(output)));
    throw new Failure('usage', `The credentials of ${keys.length} keys need a folder.`, {
      advice: 'Give --output-dir FOLDER. It gets one file per key that only you can read.',
    });
  }
  const ofUid = Map.groupBy(keys, ({ uid }) => uid);
  return keys.map(({ uid, accessKey = '' }) => {
    // An imported access key may have characters that are not allowed in a file name.
    const key = ofUid.get(uid)?.length === 1 ? '' : `-${accessKey.replace(/[^\w-]/g, '_')}`;
    return inFolder(join(outputDir, `${uid}${key}.env`));
  });
}

/** Creates the folder for credentials, which only its owner can read, unless it exists. */
export function createFolder({ cwd }: Terminal, { outputDir }: Destination): void {
  if (outputDir !== undefined) mkdirSync(resolve(cwd(), outputDir), { recursive: true, mode: 0o700 });
}

/** Checks that no file exists. @throws Failure that names those that do */
export function requireNew(files: readonly (CredentialsPath | undefined)[], advice: string): void {
  const existing = files.flatMap((file) => (file && existsSync(file.path) ? [file.shown] : []));
  if (existing.length === 0) return;
  const message =
    existing.length === 1
      ? `The file ${existing[0]} already exists.`
      : `${existing.length} files already exist: ${existing.join(', ')}.`;
  throw new Failure('usage', message, { advice });
}
