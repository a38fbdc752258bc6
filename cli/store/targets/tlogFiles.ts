import { opendir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readWhole } from '../../shell/files/readWhole.ts';

/** The most bytes of a file of a log. The largest is a commit of 8192 entries, of 350 kB. */
export const TLOG_FILE_BYTES = 512 * 1024;

/** Turns the error of a read into undefined if there is no such file or folder. @throws any other error */
export const orMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
};

/** The subfolder in which a local run writes files before they get their names. */
export const UNFINISHED = '.unfinished';

export interface TlogFiles {
  readonly location: string;
  /** Returns the bytes of a file; undefined if there is none. @param path such as `checkpoint` or `tile/0/000` */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Yields the files whose paths begin with a text, in any order, and when they were stored (ms since 1970). */
  list(prefix: string): AsyncIterable<{ readonly path: string; readonly storedAt: number }>;
  /** Yields the versions and delete markers of files, those of each file the newest first. Absent: it keeps none. */
  versions?(
    prefix: string,
  ): AsyncIterable<{ readonly path: string; readonly isMarker: boolean; readonly etag: string }>;
}

/** Yields the paths of the files of a folder and its subfolders, one at a time: a log can have millions. */
async function* filesBelow(folder: string, path: string): AsyncGenerator<string> {
  for await (const file of (await opendir(join(folder, path)).catch(orMissing)) ?? []) {
    const inner = path === '.' ? file.name : `${path}/${file.name}`;
    if (file.isDirectory()) yield* filesBelow(folder, inner);
    else if (file.isFile()) yield inner;
  }
}

/** Returns the files of a log in a folder: of the local run, or a copy of a bucket. */
export const folderFiles = (folder: string): TlogFiles => ({
  location: folder,
  async read(path) {
    // Reading a pipe or a device might never end.
    const file = join(folder, path);
    return (await stat(file).catch(orMissing))?.isFile() ? readWhole(file, TLOG_FILE_BYTES) : undefined;
  },
  async *list(prefix) {
    for await (const path of filesBelow(folder, dirname(`${prefix}.`))) {
      if (!path.startsWith(prefix)) continue;
      const file = await stat(join(folder, path)).catch(orMissing);
      if (file) yield { path, storedAt: Math.floor(file.mtimeMs) };
    }
  },
});
