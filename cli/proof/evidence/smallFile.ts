import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { readStart, SMALL_FILE_BYTES } from '../../shell/files/readWhole.ts';

/** The start of a file. */
export interface SmallFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** False if the file is longer than `bytes`. */
  readonly isWhole: boolean;
}

/** Reads a file, however long, up to a limit. @throws Failure if it is not a regular file */
export function readSmallFile(path: string): SmallFile {
  const bytes = readStart(path, SMALL_FILE_BYTES);
  const isWhole = bytes.length <= SMALL_FILE_BYTES;
  return { name: basename(path), path, bytes: bytes.subarray(0, SMALL_FILE_BYTES), isWhole };
}

/** Returns the text of a file whose bytes are signed or hashed. @throws Error that says what a program changed in it */
export function textOf({ name, bytes, isWhole }: SmallFile): string {
  if (!isWhole) throw new Error(`${name} is larger than 1 MiB`);
  if (!isUtf8(bytes)) throw new Error(`${name} is not UTF-8`);
  const text = bytes.toString();
  if (text.startsWith('\ufeff')) throw new Error(`${name} begins with a byte-order mark: a program changed the file`);
  if (text.includes('\r')) throw new Error(`${name} has Windows line ends (CRLF): a program changed the file`);
  return text;
}
