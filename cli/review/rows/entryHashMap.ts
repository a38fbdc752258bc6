const textOf = (entryHash: Uint8Array): string => Buffer.from(entryHash).toString('latin1');

/** Values by entry hash. One map would be full with 16 million of them, so there is one for each first byte. */
export class EntryHashMap<Value> {
  readonly #maps = Array.from({ length: 256 }, () => new Map<string, Value>());

  get size(): number {
    return this.#maps.reduce((sum, { size }) => sum + size, 0);
  }

  get(entryHash: Uint8Array): Value | undefined {
    return this.#mapOf(entryHash).get(textOf(entryHash));
  }

  set(entryHash: Uint8Array, value: Value): void {
    this.#mapOf(entryHash).set(textOf(entryHash), value);
  }

  delete(entryHash: Uint8Array): void {
    this.#mapOf(entryHash).delete(textOf(entryHash));
  }

  #mapOf(entryHash: Uint8Array): Map<string, Value> {
    return this.#maps[entryHash[0] as number] as Map<string, Value>;
  }
}
