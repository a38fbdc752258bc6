import { apiError } from '../errors.ts';
import type { ApiKey } from './apiKeys.ts';
import type { Credentials } from './credentialStore.ts';
import { sameText, sign } from './signature.ts';

/** The four access headers, as they were sent. */
export interface AccessHeaders {
  readonly accessKey: string;
  readonly signature: string;
  readonly timestamp: string;
  readonly passphrase: string;
}

/** The owner of the key that signed a request. */
export interface Caller {
  readonly uid: string;
  readonly accessKey: string;
  /** The query string as it was signed, without its question mark; empty: none. */
  readonly query: string;
}

/** Stands in for credentials that do not exist, so that a rejection takes the same time whether they exist. It matches nothing. */
const DECOY: Credentials = { secret: 'decoy', passphrase: 'decoy' };

/**
 * Checks the key, then the signature, then the passphrase. Every set of credentials and every spelling of the query string is
 * tried before the first check fails, so that the time of an error does not tell which one it was.
 * @param request `apiKey`: undefined if there is no such key; `credentials`: every set that is accepted now, undefined if the
 * key may not be used; `queries`: the spellings of the query string, see `querySpellings`; `rawBody`: the body, byte for byte
 * @throws ApiError 40006, 40009 or 40012
 */
export function verifyCaller({
  access,
  apiKey,
  credentials,
  queries,
  rawBody,
}: {
  access: AccessHeaders;
  apiKey: ApiKey | undefined;
  credentials: readonly Credentials[] | undefined;
  queries: readonly string[];
  rawBody: Uint8Array;
}): Caller {
  const { timestamp, signature } = access;
  const tried = (credentials ?? [DECOY]).map(({ secret, passphrase }) => ({
    query: queries.find((query) => sameText(sign(secret, { timestamp, query, body: rawBody }), signature)),
    knowsPassphrase: sameText(passphrase, access.passphrase),
  }));
  const match = tried.find(({ query }) => query !== undefined);

  if (!apiKey || !credentials) throw apiError('accessKeyInvalid');
  if (match?.query === undefined) throw apiError('signatureInvalid');
  if (!match.knowsPassphrase) throw apiError('passphraseInvalid');
  return { uid: apiKey.uid, accessKey: apiKey.accessKey, query: match.query };
}
