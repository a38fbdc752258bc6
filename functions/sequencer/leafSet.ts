/** The share of used slots at which the number of slots is doubled. */
const LOAD = 0.6;

/** Returns the smallest number of slots that holds this many leaves, a power of two. */
const slotsFor = (leaves: number): number => 2 ** Math.max(10, Math.ceil(Math.log2(leaves / LOAD)));

/**
 * Returns the memory of a `LeafSet` that was created for this many leaves, in bytes: 13 to 27 for each. Ten million
 * leaves take 134 MB, 20 million 268 MB, 40 million 537 MB.
 */
export const leafSetBytes = (leaves: number): number => slotsFor(leaves) * BigUint64Array.BYTES_PER_ELEMENT;

/**
 * A set of leaves that stores the first 64 bits of each. The probability that two of ten million hashes share 64 bits is 1
 * in 370 000.
 */
export class LeafSet {
  #slots: BigUint64Array;
  #size = 0;

  /** @param expected the number of leaves. With more, the set grows, and takes half as much memory again meanwhile. */
  constructor(expected = 0) {
    this.#slots = new BigUint64Array(slotsFor(expected));
  }

  add(leaf: Uint8Array): void {
    if (this.#size >= this.#slots.length * LOAD) this.#grow();
    this.#put(prefixOf(leaf));
  }

  has(leaf: Uint8Array): boolean {
    const prefix = prefixOf(leaf);
    return this.#slots[this.#slotOf(prefix)] === prefix;
  }

  #put(prefix: bigint): void {
    const slot = this.#slotOf(prefix);
    if (this.#slots[slot] !== prefix) this.#size += 1;
    this.#slots[slot] = prefix;
  }

  /** Returns the slot of a prefix, or the free slot for it. Leaves are hashes, so their bits are evenly distributed. */
  #slotOf(prefix: bigint): number {
    const mask = this.#slots.length - 1;
    let slot = Number(prefix & 0xffffffffn) & mask;
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== prefix) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new BigUint64Array(before.length * 2);
    this.#size = 0;
    for (const prefix of before) if (prefix !== 0n) this.#put(prefix);
  }
}

/** Returns the first 64 bits of a leaf. Zero marks a free slot, so it becomes one. */
const prefixOf = (leaf: Uint8Array): bigint =>
  new DataView(leaf.buffer, leaf.byteOffset, leaf.length).getBigUint64(0, true) || 1n;
