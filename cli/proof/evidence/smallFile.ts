import { readStart, SMALL_FILE_BYTES } from '../../shell/files/readWhole.ts';

/** Reads a file up to 1 MiB; `isWhole`: it is no longer. @throws Failure if it is not a regular file */
export function readSmallFile(path: string): { readonly bytes: Buffer; readonly isWhole: boolean } {
  const bytes = readStart(path, SMALL_FILE_BYTES);
  return { bytes: bytes.subarray(0, SMALL_FILE_BYTES), isWhole: bytes.length <= SMALL_FILE_BYTES };
}
