/** The share of the slots that may be taken before there are twice as many. */
const LOAD = 0.6;

/**
 * A set of leaves that takes 8 bytes and some slack for each: ten million fit into 270 MB. It keeps the first 64 bits; that two
 * of ten million hashes share those by chance happens once in 370 000 logs.
 */
export class LeafSet {
  #slots = new BigUint64Array(1024);
  #size = 0;

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

  /** The slot that holds a prefix, or the free one where it belongs. Leaves are hashes: their bits spread by themselves. */
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

/** The first 64 bits of a leaf; zero is the mark of a free slot. */
const prefixOf = (leaf: Uint8Array): bigint =>
  new DataView(leaf.buffer, leaf.byteOffset, leaf.length).getBigUint64(0, true) || 1n;
