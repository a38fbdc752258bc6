/** Returns a number with its noun: `1 log`, `2 logs`. @param noun in the singular; its plural ends in "s" */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Returns some names as a message lists them, and counts the others. @param most the most that it names */
export const nameSome = (names: readonly string[], most: number): string =>
  [...names.slice(0, most), ...(names.length > most ? [`and ${names.length - most} more`] : [])].join(', ');

/** Returns the share of failures that a sample of `size` logs without any excludes with 95 % confidence: fewer fail. */
export const excludedShare = (size: number): number => 1 - 0.05 ** (1 / size);

/** Returns a quantile of some numbers. @param share from 0 to 1: 0.99 for the 99th percentile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
