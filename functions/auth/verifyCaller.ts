import { apiError } from '../errors.ts';
import type { ApiKey } from './apiKeys.ts';
import type { Credentials } from './credentialStore.ts';
import { findDecodedSecret, keyRejection, signatureRejection } from './explainRejection.ts';
import { sameText, sign } from './signature.ts';

export type AccessHeaders = Readonly<Record<'accessKey' | 'signature' | 'timestamp' | 'passphrase', string>>;

export interface Caller {
  readonly uid: string;
  readonly accessKey: string;
}

/**
 * Checks the key, then the signature, then the passphrase; no comparison tells how much of a value is right.
 * @param request `apiKey`: undefined if there is none; `credentials`: all that it accepts now, undefined if it is not
 * usable
 * @throws ApiError 40006 (key), 40009 (signature) or 40012 (passphrase), of the first check that fails
 */
export function verifyCaller(request: {
  access: AccessHeaders;
  apiKey: ApiKey | undefined;
  credentials: readonly Credentials[] | undefined;
  rawBody: Uint8Array;
}): Caller {
  const { access, apiKey, credentials, rawBody } = request;
  const { timestamp, signature, accessKey } = access;
  const parts = { timestamp, body: rawBody };
  if (!apiKey || !credentials) throw keyRejection(accessKey);
  for (const { secret, passphrase } of credentials) {
    if (!sameText(sign(secret, parts), signature)) continue;
    if (!sameText(passphrase, access.passphrase)) throw apiError('passphraseInvalid');
    return { uid: apiKey.uid, accessKey: apiKey.accessKey };
  }
  const secrets = credentials.map(({ secret }) => secret);
  throw signatureRejection(signature, findDecodedSecret(secrets, parts, signature));
}
