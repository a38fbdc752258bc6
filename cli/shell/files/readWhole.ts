import { closeSync, fstatSync, readSync } from 'node:fs';
import { Failure } from '../terminal/failure.ts';
import { openRegularFile } from './openRegularFile.ts';
import { namingFile } from './write.ts';

const MIB = 1024 * 1024;

/** More than a key, policy, receipt, proof or note has: a proof with 100 signatures of 5 KB each is half as long. */
export const SMALL_FILE_BYTES = MIB;

/** Reads an open file, however long it is or becomes, up to a limit. @returns at most one byte more */
function readUpTo(file: number, limitBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let expected = fstatSync(file).size;
  for (let left = limitBytes + 1, read = -1; left > 0 && read !== 0; left -= read) {
    const chunk = Buffer.allocUnsafe(Math.min(left, Math.max(64 * 1024, expected)));
    read = readSync(file, chunk);
    chunks.push(chunk.subarray(0, read));
    expected = 0;
  }
  return Buffer.concat(chunks);
}

/** Reads the start of a file. @returns at most one byte more than the limit @throws Failure if it is no regular file */
export function readStart(path: string, limitBytes: number): Buffer {
  const file = openRegularFile(path);
  try {
    return namingFile(path, () => readUpTo(file, limitBytes));
  } finally {
    closeSync(file);
  }
}

const requireWhole = (path: string, bytes: Buffer, limitBytes: number, advice?: string): Buffer => {
  if (bytes.length <= limitBytes) return bytes;
  const limit = limitBytes < MIB ? `${limitBytes / 1024} KiB` : `${limitBytes / MIB} MiB`;
  throw new Failure('usage', `${path} is larger than ${limit}.`, { advice });
};

/** Reads the rest of an open file. @throws Failure if it is longer than the limit */
export const readOpened = (path: string, file: number, limitBytes: number, advice?: string): Buffer =>
  requireWhole(
    path,
    namingFile(path, () => readUpTo(file, limitBytes)),
    limitBytes,
    advice,
  );

/** Reads a whole file. @throws Failure if it is longer than the limit, or no regular file */
export const readWhole = (path: string, limitBytes = SMALL_FILE_BYTES, advice?: string): Buffer =>
  requireWhole(path, readStart(path, limitBytes), limitBytes, advice);
