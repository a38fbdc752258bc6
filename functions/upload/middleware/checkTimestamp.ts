import { requireRecent } from '../../auth/timestamp.ts';
import type { Middleware } from '../request.ts';

/** Checks that ACCESS-TIMESTAMP is within 30 s of the server's clock. */
export const checkTimestamp = (): Middleware => ({
  before: ({ event }) => requireRecent(event.access.timestamp, event.receivedAt),
});
