import { type ApiError, apiError } from '../errors.ts';
import { firstCodePoints } from '../quote.ts';
import { type SignedParts, sameText, sign, UPLOAD_PATH } from './signature.ts';

/** The encodings from which clients decode a secret by mistake, because it looks like text in them. */
const ENCODINGS = ['hex', 'base64'] as const;

/** Returns a decoded secret, if that loses nothing: from part of a secret, an attacker could guess the key. */
function decode(secret: string, encoding: (typeof ENCODINGS)[number]): string | Uint8Array {
  const key = Buffer.from(secret, encoding);
  return key.toString(encoding).toLowerCase() === secret.toLowerCase() ? key : secret;
}

/**
 * Finds the encoding from which the caller decoded its secret before it signed; undefined: none. Only who knows the
 * secret can sign so, so an answer tells an attacker nothing: docs/decisions.md#decoded-secrets.
 */
export const findDecodedSecret = (
  secrets: readonly string[],
  parts: SignedParts,
  signature: string,
): (typeof ENCODINGS)[number] | undefined =>
  ENCODINGS.find((encoding) => secrets.some((secret) => sameText(sign(decode(secret, encoding), parts), signature)));

/** The characters of an access key that an error quotes, so that it shows no whole key in a log of a client. */
const SHOWN_OF_KEY = 10;

const KEY_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/["'`]/, 'with a quotation mark'],
  [/\s/, 'with white space'],
  [/^0x/i, 'with 0x before it'],
];

function describeKey(accessKey: string): string {
  // A secret or a passphrase in the wrong header must not get into an answer that a client logs.
  if (/^[0-9a-f]{64}$/i.test(accessKey)) return 'a value in the form of a secret';
  if (/^[0-9a-f]{32}$/i.test(accessKey)) return 'a value in the form of a passphrase';
  const start = firstCodePoints(accessKey, SHOWN_OF_KEY);
  const odd = KEY_PROBLEMS.flatMap(([pattern, says]) => (pattern.test(accessKey) ? [says] : []));
  const details = [`${accessKey.length} characters`, ...odd].join(', ');
  return `${JSON.stringify(start === accessKey ? start : `${start}…`)} (${details})`;
}

/** Returns the error for an unknown, revoked or expired key. The log gets only its length: it may be a secret. */
export const keyRejection = (accessKey: string): ApiError =>
  apiError(
    'accessKeyInvalid',
    { received: describeKey(accessKey) },
    { logged: { received: `a value of ${accessKey.length} characters` } },
  );

const isHexInBase64 = (text: string): boolean =>
  /^[A-Za-z0-9]{86}(==)?$/.test(text) && /^[0-9a-f]{64}$/i.test(Buffer.from(text, 'base64').toString('latin1'));

/** Says why a value cannot be the base64 of 32 bytes, as a predicate of a sentence; undefined if it is. */
function malformationOf(signature: string): string | undefined {
  if (/^[A-Za-z0-9+/]{43}=$/.test(signature)) return undefined;
  if (/^[0-9a-f]{64}$/i.test(signature)) return 'is in hex';
  if (isHexInBase64(signature)) return 'is the base64 of hex text';
  if (/^[\w-]{43}=?$/.test(signature) && /[-_]/.test(signature))
    return 'is in the base64 alphabet for URLs, with - and _';
  if (/^[A-Za-z0-9+/]{43}$/.test(signature)) return 'lacks the = at its end';
  if (/%[0-9a-f]{2}/i.test(signature)) return 'is percent-encoded';
  return signature.length === 44 ? 'is not base64' : `has ${signature.length} characters`;
}

/** Returns the error for a wrong signature, with the most likely cause, by what the caller sent and `decodedFrom`. */
export function signatureRejection(signature: string, decodedFrom: string | undefined): ApiError {
  const seen = malformationOf(signature);
  if (seen !== undefined) return apiError('signatureMalformed', { seen });
  if (decodedFrom !== undefined) return apiError('secretDecoded', { encoding: decodedFrom });
  return apiError('signatureInvalid', { path: UPLOAD_PATH });
}
