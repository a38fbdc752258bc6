/** Returns a number with its noun: `1 log`, `2 logs`. @param noun in the singular; its plural ends in "s" */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Compares two numbers, for `sort`. */
export const ascending = (one: number, other: number) => one - other;

/** Returns the position of the first of ascending numbers that is at least `least`; their count if there is none. */
export function positionFrom(numbers: ArrayLike<number>, least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns true if ascending numbers include one. */
export const includes = (numbers: readonly number[], wanted: number): boolean =>
  numbers[positionFrom(numbers, wanted)] === wanted;
