import { EMPTY_ROOT, HASH_BYTES, nodeHash, sameHash, splitOf } from './hashing.ts';
import { requireSize } from './treeSize.ts';

/** A range of leaves whose Merkle tree hash is part of a proof. `end` is exclusive. */
export type LeafRange = readonly [start: number, end: number];

/** Returns the siblings of the subtrees that have a leaf, from the largest tree down to a sufficient one. */
function siblings(index: number, size: number, isEnough: (start: number, end: number) => boolean) {
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (!isEnough(start, end)) {
    const middle = start + splitOf(end - start);
    ranges.unshift(index < middle ? [middle, end] : [start, middle]);
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return { ranges, start, end };
}

/** Returns the subtrees that prove a leaf, from its sibling up. RFC 6962, 2.1.1. @throws RangeError: no such leaf */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  requireSize(size);
  requireSize(index, 'leaf index');
  if (index >= size) throw new RangeError(`The tree has ${size} leaves; there is no leaf ${index}.`);
  return siblings(index, size, (start, end) => end - start === 1).ranges;
}

/** Returns the subtrees that prove an earlier tree, if any. RFC 6962, 2.1.2. @throws RangeError if it is larger */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  requireSize(from);
  requireSize(to);
  if (from > to) throw new RangeError(`A tree of ${from} leaves cannot come before one of ${to}.`);
  if (from === 0 || from === to) return [];
  const { ranges, start, end } = siblings(from - 1, to, (_start, at) => at === from);
  // The verifier knows the hash of the earlier tree only as a whole.
  return start > 0 ? [[start, end], ...ranges] : ranges;
}

/** Checks that the tree has the leaf. @param proof hashes of 32 bytes, its sibling first; no more or fewer are right */
export function verifyInclusion(
  proof: readonly Uint8Array[],
  { index, size, leafHash, root }: { index: number; size: number; leafHash: Uint8Array; root: Uint8Array },
): boolean {
  requireSize(size);
  requireSize(index, 'leaf index');
  if (index >= size || !areHashes([leafHash, root, ...proof])) return false;
  const ranges = inclusionRanges(index, size);
  if (proof.length !== ranges.length) return false;
  let hash = leafHash;
  for (const [at, [start]] of ranges.entries()) {
    const sibling = proof[at] as Uint8Array;
    hash = start > index ? nodeHash(hash, sibling) : nodeHash(sibling, hash);
  }
  return sameHash(hash, root);
}

/**
 * Checks that the tree `to` begins with the tree `from`. @param proof hashes of 32 bytes; no more or fewer are right
 */
export function verifyConsistency(
  proof: readonly Uint8Array[],
  from: { readonly size: number; readonly root: Uint8Array },
  to: { readonly size: number; readonly root: Uint8Array },
): boolean {
  requireSize(from.size);
  requireSize(to.size);
  if (from.size > to.size || !areHashes([from.root, to.root, ...proof])) return false;
  if (to.size === 0 && !sameHash(to.root, EMPTY_ROOT)) return false;
  const ranges = consistencyRanges(from.size, to.size);
  if (proof.length !== ranges.length) return false;
  if (from.size === 0) return sameHash(from.root, EMPTY_ROOT);
  let fromHash = from.root;
  let toHash = from.root;
  for (const [at, [start, end]] of ranges.entries()) {
    const hash = proof[at] as Uint8Array;
    if (start < from.size) fromHash = end === from.size ? hash : nodeHash(hash, fromHash);
    if (end === from.size) toHash = hash;
    else toHash = start < from.size ? nodeHash(hash, toHash) : nodeHash(toHash, hash);
  }
  return sameHash(fromHash, from.root) && sameHash(toHash, to.root);
}

const areHashes = (hashes: readonly Uint8Array[]): boolean => hashes.every(({ length }) => length === HASH_BYTES);
