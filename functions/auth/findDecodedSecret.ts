import { type SignedParts, sameText, sign } from './signature.ts';

/** The encodings from which clients decode a secret by mistake, because it looks like text in them. */
const ENCODINGS = ['hex', 'base64'] as const;

/**
 * Returns the key that a client uses if it decodes a secret. It is the secret itself unless decoding loses nothing:
 * from part of a secret, an attacker could guess the key, and learn that part.
 */
function decode(secret: string, encoding: (typeof ENCODINGS)[number]): string | Uint8Array {
  const key = Buffer.from(secret, encoding);
  return key.toString(encoding).toLowerCase() === secret.toLowerCase() ? key : secret;
}

/**
 * Finds the encoding from which the caller decoded its secret before it signed. Only somebody who knows the secret can
 * make such a signature, so an answer that names the encoding tells an attacker nothing. The work is
 * the same for every secret: docs/decisions/decoded-secrets.md.
 * @returns undefined if the signature is not made in this way
 */
export const findDecodedSecret = (
  secrets: readonly string[],
  parts: SignedParts,
  signature: string,
): (typeof ENCODINGS)[number] | undefined =>
  ENCODINGS.find((encoding) => secrets.some((secret) => sameText(sign(decode(secret, encoding), parts), signature)));
