import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TlogStorage } from '../../functions/sequencer/storage.ts';
import { orMissing, UNFINISHED } from '../target/tlogFiles.ts';

const etagOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the log's files in a folder. A file appears under its name only when all of it is on the disk. */
export function folderStorage(folder: string): TlogStorage {
  const unfinished = join(folder, UNFINISHED);
  mkdirSync(unfinished, { recursive: true });

  /** Writes a file that is not yet under its name. */
  const write = async (bytes: Uint8Array): Promise<string> => {
    const path = join(unfinished, randomUUID());
    const file = await open(path, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return path;
  };

  const get: TlogStorage['get'] = async (path, abortSignal) => {
    const bytes = await readFile(join(folder, path), { signal: abortSignal }).catch(orMissing);
    return bytes && { bytes, etag: etagOf(bytes) };
  };

  return {
    get,

    async create(path, bytes, abortSignal) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      const written = await write(bytes);
      try {
        // Unlike a rename, a link never replaces what is there.
        await link(written, target);
        return 'created';
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const there = await get(path, abortSignal);
        return there && Buffer.compare(there.bytes, bytes) === 0 ? 'same' : 'different';
      } finally {
        await rm(written, { force: true });
      }
    },

    async replace(path, bytes, etag) {
      const target = join(folder, path);
      const written = await write(bytes);
      try {
        // Without waiting in between: nothing else in this process gets in between the look and the rename.
        if (etagAt(target) !== etag) return false;
        renameSync(written, target);
        return true;
      } finally {
        await rm(written, { force: true });
      }
    },
  };
}

/** The version of a file; undefined if there is none. */
function etagAt(path: string): string | undefined {
  try {
    return etagOf(readFileSync(path));
  } catch (error) {
    return orMissing(error as NodeJS.ErrnoException);
  }
}
