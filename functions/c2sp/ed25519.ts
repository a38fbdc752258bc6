import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

const PUBLIC_KEY_BYTES = 32;

/** The bytes before the 32 bytes of a public key in its SPKI form. Source: RFC 8410, section 4. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns the 32 bytes of a public key in SPKI form (DER), as KMS returns it. @throws Error if it is no Ed25519 key */
export function rawPublicKey(spki: Uint8Array): Buffer {
  const der = Buffer.from(spki);
  if (
    der.length !== SPKI_PREFIX.length + PUBLIC_KEY_BYTES ||
    !der.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)
  ) {
    throw new Error('The key is not an Ed25519 public key in SPKI form.');
  }
  return der.subarray(SPKI_PREFIX.length);
}

/** Returns the 32 bytes of the public half of a private key. */
export const rawPublicKeyOf = (privateKey: KeyObject): Buffer =>
  rawPublicKey(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }));

/** Signs a message with Ed25519. The same message always gets the same signature. Source: RFC 8032. */
export const signEd25519 = (privateKey: KeyObject, message: Uint8Array): Buffer => sign(null, message, privateKey);

/** Checks a signature of a message. @param publicKey 32 bytes */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
}
