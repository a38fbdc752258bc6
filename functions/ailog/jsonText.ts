import { apiError } from '../errors.ts';

/** Rejects invalid UTF-8 and keeps a byte-order mark, so that neither is repaired silently before parsing. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a body to JSON text. @throws ApiError 40017 with the reason if the body is not text */
export function decodeJsonText(body: Buffer): string {
  if (body.length === 0) throw apiError('jsonInvalid', { reason: 'it is empty' });
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw apiError('jsonInvalid', { reason: 'it is not UTF-8' });
  }
  if (text.startsWith('\uFEFF'))
    throw apiError('jsonInvalid', { reason: 'it starts with a byte-order mark, remove it' });
  return text;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns a parsed body as an object. @throws ApiError 40017 if it is not one */
export function requireJsonObject(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw apiError('jsonNotObject', { received: jsonType(value) });
}

/** Returns the JSON type of a value with its article, such as `an array`. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
