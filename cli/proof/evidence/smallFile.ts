import { isUtf8 } from 'node:buffer';
import { closeSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';

/** More than a receipt, proof, preimage or policy has: a proof with 100 signatures of 5 KB each is half as long. */
const SIZE_LIMIT_BYTES = 1024 * 1024;

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
  const descriptor = openRegularFile(path);
  const bytes = Buffer.allocUnsafe(SIZE_LIMIT_BYTES + 1);
  let length = 0;
  try {
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
  } finally {
    closeSync(descriptor);
  }
  const start = Buffer.from(bytes.subarray(0, Math.min(length, SIZE_LIMIT_BYTES)));
  return { name: basename(path), path, bytes: start, isWhole: length <= SIZE_LIMIT_BYTES };
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
