/** Returns a number with its noun: `1 log`, `2 logs`. @param noun in the singular; its plural ends in "s" */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
