/**
 * Reads items in their order, up to `limit` at the same time.
 * @returns each item with what was read for it
 */
export async function* readAhead<Item, Result>(
  items: Iterable<Item>,
  limit: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<readonly [Item, Result]> {
  const reading: (readonly [Item, Promise<Result>])[] = [];
  for (const item of items) {
    const result = read(item);
    // It is awaited later; until then, a rejection must not count as unhandled.
    result.catch(() => {});
    reading.push([item, result]);
    if (reading.length < limit) continue;
    const [next, first] = reading.shift() as (typeof reading)[number];
    yield [next, await first];
  }
  for (const [item, result] of reading) yield [item, await result];
}
