import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { parseCheckpoint } from './checkpoint.ts';
import { verifyEd25519 } from './ed25519.ts';
import type { VerifierKey } from './verifierKey.ts';

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

/** Checks a signature of a message, without a context. Source: FIPS 204. @throws Error if this runtime cannot */
const verifyMlDsa44 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, message, readKey(publicKey), signature);

/** The lengths of a cosignature in bytes: eight of time, then the signature. */
const ED25519_BYTES = 8 + 64;
const ML_DSA_44_BYTES = 8 + 2420;

/** The last second that a `Date` can have. */
const LAST_TIME = 8.64e12;

/**
 * Reads what follows the key id in a witness's signature line: the time in seconds since 1970, and 64 bytes of Ed25519
 * or 2420 of ML-DSA-44. The time 0 of ML-DSA-44 says none: by C2SP, the witness does not say that it has seen no larger
 * tree. Undefined if it is not a timestamped signature.
 */
export function readCosignature(bytes: Uint8Array) {
  if (bytes.length !== ED25519_BYTES && bytes.length !== ML_DSA_44_BYTES) return undefined;
  const timestamp = Number(Buffer.from(bytes).readBigUInt64BE());
  if (timestamp > LAST_TIME || (timestamp === 0 && bytes.length === ED25519_BYTES)) return undefined;
  return { timestamp, signature: bytes.subarray(8) };
}

/**
 * Returns the message that a witness signs with Ed25519. Source: C2SP tlog-cosignature, "Ed25519 signed message".
 * @param text the text of the checkpoint with its final newline, without its signatures
 * @param timestamp seconds since 1970
 */
export const cosignedMessage = (text: string, timestamp: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`);

/**
 * Returns the message that a witness signs with ML-DSA-44: names and numbers, each text after its length in one byte.
 * Source: C2SP tlog-cosignature, "ML-DSA-44 signed message".
 * @param name of the witness's key
 */
export function cosignedSubtree(name: string, text: string, timestamp: number): Buffer {
  const { origin, size, root } = parseCheckpoint(text);
  const prefixed = (value: string) => {
    const bytes = Buffer.from(value);
    if (bytes.length > 255) throw new Error(`A name in a cosignature has at most 255 bytes, not ${bytes.length}.`);
    return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
  };
  const number = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    return bytes;
  };
  const label = Buffer.from('subtree/v1\n\0');
  return Buffer.concat([label, prefixed(name), number(timestamp), prefixed(origin), number(0), number(size), root]);
}

/** Returns true if a witness's key signed a checkpoint. @throws Error if this runtime cannot verify its signature */
export function verifyCosignature({ name, type, publicKey }: VerifierKey, text: string, bytes: Uint8Array): boolean {
  const cosignature = readCosignature(bytes);
  if (!cosignature) return false;
  const { timestamp, signature } = cosignature;
  return type === 'cosignature'
    ? verifyEd25519(publicKey, cosignedMessage(text, timestamp), signature)
    : verifyMlDsa44(publicKey, cosignedSubtree(name, text, timestamp), signature);
}
