/** Returns a number with its noun: `1 log`, `2 logs`. @param noun in the singular; its plural ends in "s" */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Returns the share of failures that a sample of `size` logs without any excludes with 95 % confidence: fewer fail. */
export const excludedShare = (size: number): number => 1 - 0.05 ** (1 / size);
