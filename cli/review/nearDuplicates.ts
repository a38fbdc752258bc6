import { estimateSimilarity, SIGNATURE_BYTES } from './minHash.ts';

/**
 * The places of a signature that are looked up together. Two texts of similarity s are compared with a probability of
 * 1 − (1 − s⁴)³²: 99 % at 0.6, 87 % at 0.5, 23 % at 0.3.
 */
const BAND_BYTES = 4;

/** Returns the smallest power of two that is at least twice a number. */
const tableSize = (count: number) => 2 ** Math.ceil(Math.log2(Math.max(2, count) * 2));

/**
 * Finds near-duplicates: each text that is similar to an earlier one gets that one as its leader, and so the leader of
 * its leader. It compares only texts that have a band of their signatures in common (locality-sensitive hashing: A.
 * Rajaraman, J. Ullman, "Mining of Massive Datasets", 3.4).
 * @param order the indices of the texts, the earliest first
 * @param textLabels for each index, the smallest index with an equal text
 * @param isComparable returns false for texts that are too short to be compared
 * @param signatures MinHash signatures, one after the other
 * @param threshold the similarity from which a text is a near-duplicate, from 0 to 1
 * @returns for each index, the index of its leader, or a label of its own
 */
export function findLeaders({
  order,
  textLabels,
  isComparable,
  signatures,
  threshold,
}: {
  order: Uint32Array;
  textLabels: Uint32Array;
  isComparable: (index: number) => boolean;
  signatures: Uint8Array;
  threshold: number;
}): Uint32Array {
  const signature = (index: number) => signatures.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES);
  const leaders = Uint32Array.from(order, (_, index) => index);
  const leaderOf = (index: number): number => {
    let leader = index;
    while (leaders[leader] !== leader) leader = leaders[leader] as number;
    return leader;
  };
  // Equal texts have equal signatures: the earliest of them stands for all. Its index plus one, by label; 0: none.
  const earliest = new Uint32Array(order.length);
  const distinct: number[] = [];
  for (const index of order) {
    const label = textLabels[index] as number;
    const first = earliest[label] as number;
    if (first !== 0) leaders[index] = first - 1;
    else {
      earliest[label] = index + 1;
      if (isComparable(index)) distinct.push(index);
    }
  }

  const bands = new DataView(signatures.buffer, signatures.byteOffset, signatures.byteLength);
  const size = tableSize(distinct.length);
  /** An open hash table from the bytes of a band to the earliest text with them, plus one. */
  const table = new Uint32Array(size);
  for (let offset = 0; offset < SIGNATURE_BYTES; offset += BAND_BYTES) {
    table.fill(0);
    const band = (index: number) => bands.getUint32(index * SIGNATURE_BYTES + offset);
    for (const index of distinct) {
      let slot = Math.imul(band(index), 0x9e3779b1) >>> 0;
      for (slot %= size; table[slot] !== 0 && band((table[slot] as number) - 1) !== band(index); )
        slot = (slot + 1) % size;
      if (table[slot] === 0) {
        table[slot] = index + 1;
        continue;
      }
      if (leaders[index] !== index) continue;
      const leader = leaderOf((table[slot] as number) - 1);
      if (leader !== index && estimateSimilarity(signature(leader), signature(index)) >= threshold) {
        leaders[index] = leader;
      }
    }
  }
  return leaders.map((_, index) => leaderOf(index));
}
