import { requireBodySize } from '../../ailog/limits.ts';
import type { Middleware } from '../request.ts';

/**
 * Decodes the body into the bytes that the caller signed, and checks their size. They are verified and stored as they
 * are: parsed and serialized again, a body has other bytes, because clients write the same JSON differently.
 */
export const readBody = (): Middleware => ({
  before: ({ event }) => {
    event.rawBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    requireBodySize(event.rawBody);
  },
});
