import { lock } from '../../shell/files/lock.ts';
import { requireNoFile, startFile } from '../../shell/files/write.ts';

/**
 * Writes a file whole or not at all: it has its name when all of it is on the disk, and nothing stays after an error or
 * an interruption. @param work gets what adds to the file @throws Failure if the file exists, or another process writes
 * it
 */
export async function writeWhole<Result>(
  path: string,
  work: (write: (content: string | Uint8Array) => void) => Promise<Result>,
): Promise<Result> {
  requireNoFile([path]);
  const unlock = await lock(path, 0, { doing: `writing ${path}`, is: 'an export' });
  try {
    const file = startFile(path);
    try {
      const result = await work(file.write);
      requireNoFile([path]);
      file.finish();
      return result;
    } finally {
      file.end();
    }
  } finally {
    unlock();
  }
}

/** Writes the parts of a text, as `writeWhole`. */
export const writeParts = (path: string, parts: AsyncIterable<string> | Iterable<string>): Promise<void> =>
  writeWhole(path, async (write) => {
    for await (const text of parts) write(text);
  });
