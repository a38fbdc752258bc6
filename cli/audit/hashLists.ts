import { HASH_BYTES, leafHashOf, sameHash } from '../../functions/c2sp/hashing.ts';

/** Returns the hashes of entries, side by side: one piece of memory for a bundle, and none for each hash. */
export function hashesOf(entries: readonly Uint8Array[]): Buffer {
  const hashes = Buffer.allocUnsafeSlow(entries.length * HASH_BYTES);
  for (const [at, entry] of entries.entries()) hashes.set(leafHashOf(entry), at * HASH_BYTES);
  return hashes;
}

/** Returns one of hashes that stand side by side. */
export const hashAt = (hashes: Uint8Array, at: number): Uint8Array =>
  hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);

/** Returns the hashes that stand side by side. */
export const splitHashes = (hashes: Uint8Array): Uint8Array[] =>
  Array.from({ length: hashes.length / HASH_BYTES }, (_, at) => hashAt(hashes, at));

/** Returns the first position at which hashes differ from others, both side by side; -1 if they do not. */
export const firstDifference = (one: Uint8Array, other: Uint8Array): number =>
  sameHash(one, other) ? -1 : splitHashes(one).findIndex((hash, at) => !sameHash(hash, hashAt(other, at)));
