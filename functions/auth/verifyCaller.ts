import { apiError } from '../errors.ts';
import type { ApiKey } from './apiKeys.ts';
import type { Credentials } from './credentialStore.ts';
import { findDecodedSecret, keyRejection, signatureRejection } from './explainRejection.ts';
import { sameText, sign } from './signature.ts';

export type AccessHeaders = Readonly<Record<'accessKey' | 'signature' | 'timestamp' | 'passphrase', string>>;

/** The owner of the key that signed a request. */
export interface Caller {
  readonly uid: string;
  readonly accessKey: string;
  /** The query string as it was signed, without its question mark. Empty if there was none. */
  readonly query: string;
}

/** Stands in for missing credentials, so that a rejection takes the same time for every key. Never accepted. */
const DECOY: Credentials = { secret: 'decoy', passphrase: 'decoy' };

/**
 * Checks the key, then the signature, then the passphrase, and returns the caller. It tries all credentials before the
 * first check can fail, so that the response time does not reveal which check failed.
 * @param request `apiKey`: undefined if it does not exist; `credentials`: all that the key accepts now, undefined if
 * the key may not be used; `queries`: the spellings of the query string, see `querySpellings`; `rawBody`: the body,
 * byte for byte
 * @throws ApiError 40006 (key), 40009 (signature) or 40012 (passphrase)
 */
export function verifyCaller(request: {
  access: AccessHeaders;
  apiKey: ApiKey | undefined;
  credentials: readonly Credentials[] | undefined;
  queries: readonly string[];
  rawBody: Uint8Array;
}): Caller {
  const { access, apiKey, credentials, queries, rawBody } = request;
  const { timestamp, signature, accessKey } = access;
  const accepted = credentials ?? [DECOY];
  const tried = accepted.map(({ secret, passphrase }) => ({
    query: queries.find((query) => sameText(sign(secret, { timestamp, query, body: rawBody }), signature)),
    knowsPassphrase: sameText(passphrase, access.passphrase),
  }));
  const match = tried.find(({ query }) => query !== undefined);
  // Before the first check can fail, and for the stand-in too.
  const decodedFrom = match
    ? undefined
    : findDecodedSecret(
        accepted.map(({ secret }) => secret),
        { timestamp, query: queries[0] ?? '', body: rawBody },
        signature,
      );

  if (!apiKey || !credentials) throw keyRejection(accessKey);
  if (match?.query === undefined) {
    throw signatureRejection(signature, { hasQuery: queries.some((query) => query !== ''), decodedFrom });
  }
  if (!match.knowsPassphrase) throw apiError('passphraseInvalid');
  return { uid: apiKey.uid, accessKey: apiKey.accessKey, query: match.query };
}
