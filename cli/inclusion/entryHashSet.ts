import { randomFillSync } from 'node:crypto';
import { HASH_BYTES } from '../../functions/c2sp/hashing.ts';

/** The share of used slots that is not exceeded. */
const LOAD = 0.6;

/** Returns the number of slots for this many hashes, a power of two. */
const slotsFor = (hashes: number): number => 2 ** Math.max(10, Math.ceil(Math.log2(hashes / LOAD)));

/**
 * A set of entry hashes that stores 64 bits for each: a fingerprint under a random key of its own. Nobody who writes
 * entries knows the key, so none can choose two that have the same fingerprint, or many that crowd into the same slots.
 * Two hashes share a fingerprint with a probability of 2^-64: one that is not in a set of ten million passes for one of
 * them in 1 of 1.8 × 10^12 cases.
 */
export class EntryHashSet {
  /**
   * Random words for each value of each byte of a hash, two each. A fingerprint is the XOR of the words of its bytes.
   * Source: Carter and Wegman, "Universal classes of hash functions"; Pătraşcu and Thorup, "The power of simple
   * tabulation hashing".
   */
  readonly #words = randomFillSync(new Uint32Array(HASH_BYTES * 256 * 2));
  /** Fingerprints, two words each, with open addressing. Zero marks a free slot. */
  readonly #slots: Uint32Array;
  #free: number;
  /** The fingerprint of the last hash that was looked up. Two fields, because an array for each would take longer. */
  #high = 0;
  #low = 0;

  /** @param count the number of hashes that will be added at most */
  constructor(count: number) {
    this.#slots = new Uint32Array(slotsFor(count) * 2);
    this.#free = Math.floor(this.slots * LOAD);
  }

  get slots(): number {
    return this.#slots.length / 2;
  }

  /**
   * Adds a hash of 32 bytes.
   * @returns its slot, which it keeps. A hash that is added twice has one slot.
   * @throws RangeError if the set was created for fewer hashes
   */
  add(entryHash: Uint8Array): number {
    const slot = this.#find(entryHash);
    if (this.#isFree(slot)) {
      if (this.#free === 0) throw new RangeError('The set of entry hashes was created for fewer.');
      this.#free -= 1;
      this.#slots[slot * 2] = this.#high;
      this.#slots[slot * 2 + 1] = this.#low;
    }
    return slot;
  }

  /** Returns the slot of a hash; undefined if it was not added. */
  slotOf(entryHash: Uint8Array): number | undefined {
    const slot = this.#find(entryHash);
    return this.#isFree(slot) ? undefined : slot;
  }

  has(entryHash: Uint8Array): boolean {
    return this.slotOf(entryHash) !== undefined;
  }

  #isFree(slot: number): boolean {
    return this.#slots[slot * 2] === 0 && this.#slots[slot * 2 + 1] === 0;
  }

  /** Returns the slot of a hash, or the free slot for it. @throws RangeError if the hash does not have 32 bytes */
  #find(entryHash: Uint8Array): number {
    if (entryHash.length !== HASH_BYTES) {
      throw new RangeError(`An entry hash has ${HASH_BYTES} bytes, not ${entryHash.length}.`);
    }
    const words = this.#words;
    let [high, low] = [0, 0];
    for (let at = 0; at < HASH_BYTES; at += 1) {
      const word = (at * 256 + (entryHash[at] as number)) * 2;
      high ^= words[word] as number;
      low ^= words[word + 1] as number;
    }
    // Zero marks a free slot, so it becomes one.
    this.#high = high >>> 0;
    this.#low = high === 0 && low === 0 ? 1 : low >>> 0;

    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = this.#low & mask;
    const isIts = () => slots[slot * 2] === this.#high && slots[slot * 2 + 1] === this.#low;
    while (!this.#isFree(slot) && !isIts()) slot = (slot + 1) & mask;
    return slot;
  }
}
