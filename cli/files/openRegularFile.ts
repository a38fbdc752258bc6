import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Failure } from '../terminal/failure.ts';

// Windows has neither.
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Opens a file that other people may have put there. A pipe without a writer or a device would never end, so only a
 * regular file is opened, and opening never waits. @param flags of `node:fs`; by default for reading
 * @throws Failure if it is a directory, a pipe or a device; an error of the file system if it cannot be opened
 */
export function openRegularFile(path: string, flags: number = O_RDONLY, mode?: number): number {
  const descriptor = openSync(path, flags | O_NONBLOCK, mode);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return descriptor;
  closeSync(descriptor);
  if (stat.isDirectory()) throw new Failure('usage', `${path} is a directory.`, { advice: 'Give the files in it.' });
  const advice = 'Write its content to a file, and give that one.';
  throw new Failure('usage', `${path} is a pipe or a device, not a file.`, { advice });
}
