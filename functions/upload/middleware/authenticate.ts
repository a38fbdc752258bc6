import type { Credentials } from '../../auth/credentialStore.ts';
import { CLOCK_TOLERANCE_MS, querySpellings, sameText, sign } from '../../auth/signature.ts';
import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** The middleware of freshness: a signature holds for 30 s around its timestamp, by the server's clock. */
export const checkTimestamp = (): Middleware => ({
  before: ({ event: { access, receivedAt } }) => {
    if (!/^\d{13}$/.test(access.timestamp)) throw apiError('timestampInvalid');
    if (Math.abs(receivedAt - Number(access.timestamp)) > CLOCK_TOLERANCE_MS) {
      throw apiError('timestampExpired', {
        serverTime: receivedAt,
        timestamp: access.timestamp,
        toleranceSeconds: CLOCK_TOLERANCE_MS / 1000,
      });
    }
  },
});

/** Stands in for credentials that do not exist, so that rejecting costs the same whether they do. It opens nothing. */
const DECOY: Credentials = { secret: 'decoy', passphrase: 'decoy' };

/**
 * The middleware of identity: key, then signature, then passphrase, each against the key's credentials and those that it had
 * before, in their time of grace. All are computed before the first one rejects.
 */
export const authenticate = (): Middleware => ({
  before: ({ event }) => {
    const { access, apiKey, credentials, bytes: body } = event;
    const spellings = querySpellings(event.multiValueQueryStringParameters);
    const tried = (credentials ?? [DECOY]).map(({ secret, passphrase }) => ({
      query: spellings.find((spelling) =>
        sameText(sign(secret, { timestamp: access.timestamp, query: spelling, body }), access.signature),
      ),
      knowsPassphrase: sameText(passphrase, access.passphrase),
    }));
    const signed = tried.find(({ query }) => query !== undefined);

    if (!apiKey || !credentials) throw apiError('accessKeyInvalid');
    if (signed?.query === undefined) throw apiError('signatureInvalid');
    if (!signed.knowsPassphrase) throw apiError('passphraseInvalid');
    event.caller = { uid: apiKey.uid, accessKey: apiKey.accessKey, query: signed.query };
  },
});
