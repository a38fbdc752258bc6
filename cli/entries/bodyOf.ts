import { constants, zstdDecompressSync } from 'node:zlib';
import type { Entry } from '../../functions/ailog/entry.ts';
import { requireJsonObject } from '../../functions/ailog/jsonText.ts';
import { BODY_LIMIT_BYTES } from '../../functions/ailog/limits.ts';
import { parseJson } from '../../functions/ailog/plainNames.ts';

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

/** Returns the body of an entry, or undefined if the stored body is damaged. */
export function readBody(entry: Partial<Pick<Entry, 'body' | 'bodyBytes'>>): Buffer | undefined {
  try {
    return bodyOf(entry as Pick<Entry, 'body' | 'bodyBytes'>);
  } catch {
    return undefined;
  }
}

/** Returns the body as text (the service accepts only UTF-8), or undefined if the stored body is damaged. */
export const readBodyText = (entry: Parameters<typeof readBody>[0]): string | undefined => readBody(entry)?.toString();

/**
 * Returns the explanation in the body of an entry; undefined if the stored body is damaged. A lone half of a surrogate
 * pair becomes U+FFFD.
 * @param body the body as text, if the caller has read it already
 */
export function explanationOf(
  entry: Partial<Pick<Entry, 'body'>>,
  body: string | undefined = readBodyText(entry),
): string | undefined {
  try {
    const { explanation } = requireJsonObject(parseJson(body as string));
    if (typeof explanation === 'string') return explanation.toWellFormed();
  } catch {
    // Only a write past the service can have stored such a body.
  }
  return undefined;
}
