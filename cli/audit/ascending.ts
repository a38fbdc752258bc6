/** Compares two numbers, for `sort`. */
export const ascending = (one: number, other: number) => one - other;

/** Returns the position of the first of ascending numbers that is at least `least`. */
export function positionFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((numbers[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns true if ascending numbers include one. */
export const includes = (numbers: readonly number[], wanted: number): boolean =>
  numbers[positionFrom(numbers, wanted)] === wanted;
