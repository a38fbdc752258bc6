import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** The bytes before the 1312 bytes of a public key in its SPKI form. Source: RFC 9881, section 4. */
const SPKI_PREFIX = Buffer.from('30820532300b06096086480165030403110382052100', 'hex');

/** Reads a public key. @throws Error if this runtime does not know ML-DSA */
function readKey(publicKey: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new Error('This runtime cannot verify ML-DSA-44. Node can from 24.6 on, with OpenSSL 3.5.', { cause });
  }
}

/**
 * Checks a signature of a message, without a context. Source: FIPS 204.
 * @param publicKey 1312 bytes
 * @throws Error if this runtime cannot
 */
export const verifyMlDsa44 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, message, readKey(publicKey), signature);
