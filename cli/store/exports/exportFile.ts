import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { lock } from '../../shell/files/lock.ts';
import { namingFile, removedAtExit, requireNoFile, syncFolder } from '../../shell/files/write.ts';

/**
 * Writes a file whole or not at all: it is `FILE.part` until all of it is on the disk. If the work fails, or the process
 * is interrupted, the part goes too. @param write writes the part, whose path it gets
 * @throws Failure if the file exists, or another process writes it
 */
export async function writeWhole<Result>(path: string, write: (part: string) => Promise<Result>): Promise<Result> {
  requireNoFile([path]);
  const part = `${path}.part`;
  const unlock = await lock(path, 0, { doing: `writing ${path}`, is: 'an export' });
  const remove = removedAtExit(part);
  try {
    const result = await write(part);
    const file = openSync(part, 'r+');
    try {
      namingFile(part, () => fsyncSync(file));
    } finally {
      closeSync(file);
    }
    requireNoFile([path]);
    renameSync(part, path);
    syncFolder(dirname(path));
    return result;
  } finally {
    remove();
    unlock();
  }
}
