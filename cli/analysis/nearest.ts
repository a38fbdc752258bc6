/**
 * Returns the index of the first time at or after a time; the length if there is none.
 * @param times in ascending order
 */
export function firstAtOrAfter(times: ArrayLike<number>, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
