import { zstdDecompressSync } from 'node:zlib';
import type { Entry } from '../../functions/ailog/entry.ts';
import { BODY_LIMIT } from '../../functions/ailog/limits.ts';

/** Returns the request body of an entry, byte for byte. @throws Error if the stored bytes are damaged */
export const bodyOf = ({ body }: Pick<Entry, 'body'>): Buffer =>
  zstdDecompressSync(body, { maxOutputLength: BODY_LIMIT });
