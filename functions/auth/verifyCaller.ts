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

/**
 * Checks the key, then the signature, then the passphrase, and returns the caller. The first check that fails ends the
 * work: the code of the error says which one it was, and so may the time. No comparison tells how much of a value is
 * right.
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
  if (!apiKey || !credentials) throw keyRejection(accessKey);
  for (const { secret, passphrase } of credentials) {
    const query = queries.find((query) => sameText(sign(secret, { timestamp, query, body: rawBody }), signature));
    if (query === undefined) continue;
    if (!sameText(passphrase, access.passphrase)) throw apiError('passphraseInvalid');
    return { uid: apiKey.uid, accessKey: apiKey.accessKey, query };
  }
  const secrets = credentials.map(({ secret }) => secret);
  const parts = { timestamp, query: queries[0] ?? '', body: rawBody };
  throw signatureRejection(signature, {
    hasQuery: queries.some((query) => query !== ''),
    decodedFrom: findDecodedSecret(secrets, parts, signature),
  });
}
