import { requireBodySize } from '../../ailog/limits.ts';
import type { Middleware } from '../request.ts';

/** Decodes the body into the bytes that the caller signed, and checks their size: docs/decisions/raw-bytes.md. */
export const readBody = (): Middleware => ({
  before: ({ event }) => {
    event.rawBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    requireBodySize(event.rawBody);
  },
});
