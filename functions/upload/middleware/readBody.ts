import { requireBodySize } from '../../ailog/limits.ts';
import type { Middleware } from '../request.ts';

/**
 * Decodes the body into the bytes that the caller sent and checks their size. These bytes are what was signed, what is
 * stored and what the digest covers.
 */
export const readBody = (): Middleware => ({
  before: ({ event }) => {
    event.rawBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    requireBodySize(event.rawBody);
  },
});
