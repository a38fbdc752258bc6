/**
 * Reads items in their order, several at the same time.
 * @param limit the total weight of the items that are read at the same time; a heavier item is read alone
 * @returns each item with what was read for it
 */
export async function* readInOrder<Item, Result>(
  items: Iterable<Item>,
  limit: number,
  weightOf: (item: Item) => number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<readonly [Item, Result]> {
  const reading: { item: Item; weight: number; result: Promise<Result> }[] = [];
  let total = 0;
  for (const item of items) {
    const weight = weightOf(item);
    while (reading.length > 0 && total + weight > limit) {
      const first = reading.shift() as (typeof reading)[number];
      total -= first.weight;
      yield [first.item, await first.result];
    }
    const result = read(item);
    // It is awaited later; until then, a rejection must not count as unhandled.
    result.catch(() => {});
    reading.push({ item, weight, result });
    total += weight;
  }
  for (const { item, result } of reading) yield [item, await result];
}
