/** A map with a maximum number of entries. When it is full, a new entry evicts the oldest one. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#limit) this.delete(this.keys().next().value as Key);
    return this;
  }
}
