import { constants, zstdDecompressSync } from 'node:zlib';
import type { Entry } from './entry.ts';
import { BODY_LIMIT_BYTES } from './limits.ts';

/** The length that is assumed of a body of unknown length, in bytes. */
const USUAL_BYTES = 16 * 1024;

/**
 * Returns the request body of an entry, byte for byte. The recorded length only chooses the size of the buffer: without
 * it, Node.js takes 128 KiB for each body, and zstd cannot write directly into it.
 * @throws Error if the stored bytes are damaged
 */
export function bodyOf({ body, bodyBytes }: Pick<Entry, 'body'> & Partial<Pick<Entry, 'bodyBytes'>>): Buffer {
  const length = Number.isSafeInteger(bodyBytes) ? (bodyBytes as number) : USUAL_BYTES;
  // One byte more, so that zstd sees that nothing follows.
  const chunkSize = Math.min(Math.max(length, constants.Z_MIN_CHUNK), BODY_LIMIT_BYTES) + 1;
  return zstdDecompressSync(body, { maxOutputLength: BODY_LIMIT_BYTES, chunkSize });
}
