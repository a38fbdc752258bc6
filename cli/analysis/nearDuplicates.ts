import type { GrowingRows } from './growingRows.ts';
import { tableSize } from './labels.ts';
import { estimateSimilarity, mix, SIGNATURE_BYTES } from './minHash.ts';

/**
 * The places of a signature that are looked up together. Two texts of similarity s are compared with a probability of 1
 * − (1 − s⁴)³²: 99 % at 0.6, 87 % at 0.5, 23 % at 0.3.
 */
const BAND_BYTES = 4;
const BANDS = SIGNATURE_BYTES / BAND_BYTES;

/** The bands that are copied out of the signatures at once, four bytes each for every text. */
const BANDS_AT_ONCE = 4;

/**
 * Finds near-duplicates: each text that is similar to an earlier one gets that one as its leader, and so the leader of
 * its leader. It compares only texts that have a band of their signatures in common (locality-sensitive hashing: A.
 * Rajaraman, J. Ullman, "Mining of Massive Datasets", 3.4).
 * @param order the indices of the texts, the earliest first
 * @param textLabels for each index, the smallest index with an equal text
 * @param isComparable returns false for texts that are too short to be compared
 * @param signatures MinHash signatures, a row for each text
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
  signatures: GrowingRows;
  threshold: number;
}): Uint32Array {
  const signature = (index: number) => signatures.row(index);
  const leaders = Uint32Array.from(order, (_, index) => index);
  const leaderOf = (index: number): number => {
    let leader = index;
    while (leaders[leader] !== leader) leader = leaders[leader] as number;
    return leader;
  };
  // Equal texts have equal signatures: the earliest of them stands for all. Its index plus one, by label; 0: none.
  const earliest = new Uint32Array(order.length);
  const distinct = order.filter((index) => {
    const label = textLabels[index] as number;
    const first = earliest[label] as number;
    if (first !== 0) leaders[index] = first - 1;
    else earliest[label] = index + 1;
    return first === 0 && isComparable(index);
  });

  const bandOf = signatures.words();
  const size = tableSize(distinct.length);
  /** An open hash table from the bytes of a band to the earliest text with them: its place in `distinct`, plus one. */
  const table = new Uint32Array(size);
  // The texts are far apart in memory, so each is visited for some bands at once.
  const bands = Array.from({ length: BANDS_AT_ONCE }, () => new Uint32Array(distinct.length));
  for (let band = 0; band < BANDS; band += BANDS_AT_ONCE) {
    for (let place = 0; place < distinct.length; place += 1) {
      for (let n = 0; n < BANDS_AT_ONCE; n += 1) {
        (bands[n] as Uint32Array)[place] = bandOf(distinct[place] as number, band + n);
      }
    }
    for (const ofTexts of bands) {
      table.fill(0);
      for (let place = 0; place < distinct.length; place += 1) {
        const index = distinct[place] as number;
        const ofText = ofTexts[place] as number;
        let slot = mix(ofText) & (size - 1);
        while (table[slot] !== 0 && ofTexts[(table[slot] as number) - 1] !== ofText) slot = (slot + 1) & (size - 1);
        if (table[slot] === 0) {
          table[slot] = place + 1;
          continue;
        }
        if (leaders[index] !== index) continue;
        const leader = leaderOf(distinct[(table[slot] as number) - 1] as number);
        if (leader !== index && estimateSimilarity(signature(leader), signature(index)) >= threshold) {
          leaders[index] = leader;
        }
      }
    }
  }
  return leaders.map((_, index) => leaderOf(index));
}
