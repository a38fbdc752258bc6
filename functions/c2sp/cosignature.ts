/** A witness's statement that it saw a checkpoint. */
export interface Cosignature {
  /** When, in seconds since 1970. */
  readonly timestamp: number;
  /** 64 bytes, Ed25519. */
  readonly signature: Uint8Array;
}

/** The length of a cosignature in bytes: eight of time, 64 of signature. */
const COSIGNATURE_BYTES = 72;

/**
 * Reads what follows the key id in a witness's signature line. Undefined if it is not a timestamped Ed25519 signature.
 */
export function readCosignature(bytes: Uint8Array): Cosignature | undefined {
  if (bytes.length !== COSIGNATURE_BYTES) return undefined;
  const timestamp = Number(Buffer.from(bytes).readBigUInt64BE());
  if (timestamp === 0 || !Number.isSafeInteger(timestamp)) return undefined;
  return { timestamp, signature: bytes.subarray(8) };
}

/**
 * Returns the message that a witness signs. Source: C2SP tlog-cosignature, "Ed25519 signed message".
 * @param text the text of the checkpoint with its final newline, without its signatures
 * @param timestamp seconds since 1970
 */
export const cosignedMessage = (text: string, timestamp: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`);
