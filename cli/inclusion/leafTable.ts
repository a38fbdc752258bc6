/** The length of a leaf in bytes. */
const LEAF_BYTES = 32;

/**
 * The leaves of a range of the log with their indexes, in about 45 bytes each. It compares whole leaves: who can write to
 * the tables could find a second entry that shares a part of them.
 */
export class LeafTable {
  readonly #first: number;
  readonly #leaves: Buffer;
  /** Open addressing: the position of a leaf in `#leaves`, plus one; 0: free. */
  readonly #slots: Uint32Array;

  /** @param first the index of the first leaf @param count the number of leaves */
  constructor(first: number, count: number) {
    this.#first = first;
    this.#leaves = Buffer.alloc(count * LEAF_BYTES);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 1.5 + 2)));
  }

  /** Adds the leaf at an index of the range. Of a leaf that is in the log twice, one index is kept. */
  add(index: number, leaf: Uint8Array): void {
    if (leaf.length !== LEAF_BYTES)
      throw new Error(`Entry ${index} of the log has ${leaf.length} bytes instead of 32.`);
    const slot = this.#slotOf(leaf);
    if (this.#slots[slot] !== 0) return;
    const position = index - this.#first;
    this.#leaves.set(leaf, position * LEAF_BYTES);
    this.#slots[slot] = position + 1;
  }

  /** Returns the index of a leaf in the log; undefined if it is not in the range. */
  indexOf(leaf: Uint8Array): number | undefined {
    const found = this.#slots[this.#slotOf(leaf)] as number;
    return found === 0 ? undefined : this.#first + found - 1;
  }

  /** Returns the slot of a leaf, or the free slot for it. Leaves are hashes, so their bits are evenly distributed. */
  #slotOf(leaf: Uint8Array): number {
    const mask = this.#slots.length - 1;
    let slot = new DataView(leaf.buffer, leaf.byteOffset, LEAF_BYTES).getUint32(0) & mask;
    for (;;) {
      const found = this.#slots[slot] as number;
      if (found === 0) return slot;
      const start = (found - 1) * LEAF_BYTES;
      if (this.#leaves.compare(leaf, 0, LEAF_BYTES, start, start + LEAF_BYTES) === 0) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
