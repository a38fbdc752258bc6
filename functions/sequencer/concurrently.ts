/**
 * Runs work on every item, at most `limit` at a time.
 * @returns the results in the order of the items
 * @throws the first error; no further item is started after it
 */
export async function concurrently<Item, Result>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = Iterator.from(items).map((item, index) => ({ item, index }));
  let failed = false;
  const worker = async () => {
    for (const { item, index } of queue) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
