import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Failure } from '../terminal/failure.ts';

// Windows has neither.
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Opens a file of other people, and never waits for a pipe or device. @throws Failure if it is none; a system error */
export function openRegularFile(path: string, flags: number = O_RDONLY, mode?: number): number {
  const descriptor = openSync(path, flags | O_NONBLOCK, mode);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return descriptor;
  closeSync(descriptor);
  if (stat.isDirectory())
    throw new Failure('usage', `${path} is a folder, not a file.`, { advice: 'Give the files in it.' });
  const advice = 'Write its content to a file, and give that one.';
  throw new Failure('usage', `${path} is a pipe or a device, not a file.`, { advice });
}
