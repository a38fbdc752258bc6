import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TlogStorage } from '../../functions/sequencer/storage.ts';
import { syncFolder } from '../shell/files/write.ts';
import { orMissing, UNFINISHED } from '../store/targets/tlogFiles.ts';

const etagOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The age from which on an unfinished file is of a run that was killed. */
const UNFINISHED_MS = 10 * 60_000;

function removeUnfinished(unfinished: string): void {
  for (const name of readdirSync(unfinished)) {
    const path = join(unfinished, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (writtenAt < Date.now() - UNFINISHED_MS) rmSync(path, { force: true });
  }
}

/** Creates the folder of a file. Its name, and those of folders above it that are new, are then on the disk. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

/** Returns the log's files in a folder. A file appears under its name only when all of it is on the disk. */
export function folderStorage(folder: string): TlogStorage {
  const unfinished = join(folder, UNFINISHED);
  makeFolder(unfinished);
  removeUnfinished(unfinished);

  /** Writes a file that is not yet under its name, and gives it to a step that may name it. */
  const write = async <Outcome>(
    path: string,
    bytes: Uint8Array,
    name: (written: string, target: string) => Outcome | Promise<Outcome>,
  ): Promise<Outcome> => {
    const written = join(unfinished, randomUUID());
    const target = join(folder, path);
    makeFolder(dirname(target));
    await writeFile(written, bytes, { flag: 'wx', flush: true });
    try {
      return await name(written, target);
    } finally {
      await rm(written, { force: true });
    }
  };

  const get: TlogStorage['get'] = async (path, abortSignal) => {
    const bytes = await readFile(join(folder, path), { signal: abortSignal }).catch(orMissing);
    return bytes && { bytes, etag: etagOf(bytes) };
  };

  return {
    get,

    create: (path, bytes, abortSignal) =>
      write(path, bytes, async (written, target) => {
        try {
          // Unlike a rename, a link never replaces what is there.
          await link(written, target);
          syncFolder(dirname(target));
          return 'created';
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
          const there = await get(path, abortSignal);
          return there && Buffer.compare(there.bytes, bytes) === 0 ? 'same' : 'different';
        }
      }),

    replace: (path, bytes, etag) =>
      write(path, bytes, (written, target) => {
        // Without waiting in between: nothing else in this process gets in between the look and the rename.
        const present = existsSync(target) ? etagOf(readFileSync(target)) : undefined;
        if (present !== etag) return false;
        renameSync(written, target);
        syncFolder(dirname(target));
        return true;
      }),

    async list(prefix, after) {
      const paths = (await readdir(join(folder, prefix)).catch(orMissing)) ?? [];
      return paths
        .map((name) => `${prefix}${name}`)
        .filter((path) => path > after)
        .sort();
    },
  };
}
