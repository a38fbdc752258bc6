import { constants, zstdDecompressSync } from 'node:zlib';
import type { Entry } from './entry.ts';
import { BODY_LIMIT_BYTES } from './limits.ts';

/** Returns the request body of an entry, byte for byte. @throws Error if the stored bytes are damaged */
export function bodyOf({ body, bodyBytes }: Pick<Entry, 'body'> & Partial<Pick<Entry, 'bodyBytes'>>): Buffer {
  // The length only chooses the size of the buffer: without it, Node.js takes 128 KiB for each body.
  const length = Number.isSafeInteger(bodyBytes) ? (bodyBytes as number) : 16 * 1024;
  // One byte more, so that zstd sees that nothing follows.
  const chunkSize = Math.min(Math.max(length, constants.Z_MIN_CHUNK), BODY_LIMIT_BYTES) + 1;
  return zstdDecompressSync(body, { maxOutputLength: BODY_LIMIT_BYTES, chunkSize });
}
