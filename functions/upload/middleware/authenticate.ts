import { verifyCaller } from '../../auth/verifyCaller.ts';
import type { Middleware } from '../request.ts';

/** Authenticates the caller by access key, signature and passphrase. */
export const authenticate = (): Middleware => ({
  before: ({ event }) => {
    const { access, apiKey, credentials, rawBody } = event;
    event.caller = verifyCaller({ access, apiKey, credentials, rawBody });
  },
});
