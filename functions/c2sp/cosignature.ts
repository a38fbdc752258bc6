import { verifyEd25519 } from './ed25519.ts';
import type { VerifierKey } from './verifierKey.ts';

/** The length of a cosignature in bytes: eight of time, then the signature. */
const COSIGNATURE_BYTES = 8 + 64;

/** The last second that a `Date` can have. */
const LAST_TIME = 8.64e12;

/**
 * Reads what follows the key id in a witness's signature line: the time in seconds since 1970, and 64 bytes of Ed25519.
 * Undefined if it is not a timestamped signature.
 */
export function readCosignature(bytes: Uint8Array) {
  if (bytes.length !== COSIGNATURE_BYTES) return undefined;
  const timestamp = Number(Buffer.from(bytes).readBigUInt64BE());
  if (timestamp > LAST_TIME || timestamp === 0) return undefined;
  return { timestamp, signature: bytes.subarray(8) };
}

/**
 * Returns the message that a witness signs with Ed25519. Source: C2SP tlog-cosignature, "Ed25519 signed message".
 * @param text the text of the checkpoint with its final newline, without its signatures
 * @param timestamp seconds since 1970
 */
export const cosignedMessage = (text: string, timestamp: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`);

/** Returns true if a witness's key signed a checkpoint. */
export function verifyCosignature({ publicKey }: VerifierKey, text: string, bytes: Uint8Array): boolean {
  const cosignature = readCosignature(bytes);
  if (!cosignature) return false;
  const { timestamp, signature } = cosignature;
  return verifyEd25519(publicKey, cosignedMessage(text, timestamp), signature);
}
