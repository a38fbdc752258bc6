import type { Commit } from './commit.ts';

/** A position of a search: the number of a commit and its cursor. */
type Place = Readonly<{ n: number; cursor: number }>;

/** Returns a number between two commits, both exclusive, where a time is likely to be: their cursors are a line. */
function guess(low: Place, high: Place, time: number, isHalving: boolean): number {
  const share = isHalving ? 0.5 : (time - low.cursor) / (high.cursor - low.cursor);
  return Math.min(high.n - 1, Math.max(low.n + 1, Math.round(low.n + share * (high.n - low.n))));
}

/**
 * Finds the first commit whose cursor is at a time or after it: an entry that was received then stands in it or in a
 * later one. Cursors never go back, so about 15 commits are read of a million.
 * @param read returns a commit by its number @param newest the last to look at @param time milliseconds since 1970
 * @returns the number of the commit; undefined: the log has not come so far
 */
export async function findCommit(
  read: (n: number) => Promise<Pick<Commit, 'cursor'>>,
  newest: Pick<Commit, 'n' | 'cursor'>,
  time: number,
): Promise<number | undefined> {
  if (newest.cursor < time) return undefined;
  let high: Place = newest;
  if (newest.n === 1) return 1;
  let low: Place = { n: 1, cursor: (await read(1)).cursor };
  if (low.cursor >= time) return 1;
  // Every second step halves, so that a log that stood still or had a rush does not make the search long.
  for (let isHalving = false; high.n - low.n > 1; isHalving = !isHalving) {
    const n = guess(low, high, time, isHalving);
    const { cursor } = await read(n);
    if (cursor >= time) high = { n, cursor };
    else low = { n, cursor };
  }
  return high.n;
}
