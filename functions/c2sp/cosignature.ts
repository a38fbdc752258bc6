import { verifyEd25519 } from './ed25519.ts';
import type { VerifierKey } from './verifierKey.ts';

/** Reads a timestamped signature (seconds since 1970, 64 bytes of Ed25519) after its key id; undefined: it is none. */
export function readCosignature(bytes: Uint8Array) {
  if (bytes.length !== 8 + 64) return undefined;
  const timestamp = Number(Buffer.from(bytes).readBigUInt64BE());
  // The last second that a `Date` can have.
  if (timestamp > 8.64e12 || timestamp === 0) return undefined;
  return { timestamp, signature: bytes.subarray(8) };
}

/**
 * Returns the message that a witness signs with Ed25519. Source: C2SP tlog-cosignature, "Ed25519 signed message".
 * @param text of the checkpoint, with its final newline and without signatures @param timestamp seconds since 1970
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
