import { querySpellings } from '../../auth/signature.ts';
import { verifyCaller } from '../../auth/verifyCaller.ts';
import type { Middleware } from '../request.ts';

/** Authenticates the caller by access key, signature and passphrase. */
export const authenticate = (): Middleware => ({
  before: ({ event }) => {
    const { access, apiKey, credentials, rawBody } = event;
    const queries = querySpellings(event.multiValueQueryStringParameters);
    event.caller = verifyCaller({ access, apiKey, credentials, queries, rawBody });
  },
});
