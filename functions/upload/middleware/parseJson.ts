import httpJsonBodyParser from '@middy/http-json-body-parser';
import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 1024 * 1024;

/**
 * The middleware of the body's size. It keeps the bytes as they came: they are what was signed, what is stored, and what the
 * digest is of.
 */
export const readBody = (): Middleware => ({
  before: ({ event }) => {
    event.bytes = Buffer.from((event.body as string | null) ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    const received = event.bytes.length;
    if (received > BODY_LIMIT) throw apiError('bodyTooLarge', { limit: BODY_LIMIT, received });
  },
});

/** Rejects what is not UTF-8 and keeps a byte-order mark, so that neither is silently repaired before it is parsed. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The JSON text of a body. @throws ApiError 40017 that says why it is none. */
function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw apiError('jsonInvalid', { reason: 'it is empty' });
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw apiError('jsonInvalid', { reason: 'it is not UTF-8' });
  }
  if (text.startsWith('\uFEFF'))
    throw apiError('jsonInvalid', { reason: 'it starts with a byte-order mark, remove it' });
  return text;
}

/** Why the parser rejected: V8's own words, which name the place, or what this parser does not let in. */
function reasonOf(error: unknown): string {
  const { data, message } = ((error as Error).cause ?? {}) as { data?: unknown; message?: string };
  if (message === undefined) return `the key "${data}" is not allowed`;
  return message.startsWith('Maximum call stack') ? 'it is nested too deeply' : message;
}

/** The JSON type of a value, with its article. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The middleware of JSON: puts the parsed body, an object, in the place of its text. */
export const parseJson = (): Middleware => {
  const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { event } = request;
      event.text = decode(event.bytes);
      event.body = event.text;
      event.isBase64Encoded = false;
      try {
        await parser.before?.(request as never);
      } catch (error) {
        // Not kept as the cause: the parser's error carries the whole body.
        throw apiError('jsonInvalid', { reason: reasonOf(error) });
      }
      const { body } = event;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        throw apiError('jsonNotObject', { received: jsonType(body) });
      }
    },
  };
};
