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

/** Returns what a witness signs. C2SP tlog-cosignature. @param text with the final newline @param timestamp seconds */
export const cosignedMessage = (text: string, timestamp: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`);

/** Returns true if a witness's key signed a checkpoint. */
export function verifyCosignature({ publicKey }: VerifierKey, text: string, bytes: Uint8Array): boolean {
  const cosignature = readCosignature(bytes);
  if (!cosignature) return false;
  const { timestamp, signature } = cosignature;
  return verifyEd25519(publicKey, cosignedMessage(text, timestamp), signature);
}
