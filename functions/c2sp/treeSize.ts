/** Checks a tree size or an index: a whole number that JavaScript represents exactly. @throws RangeError */
export function requireSize(value: number, name = 'tree size'): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`The ${name} must be an integer from 0 to 2^53 - 1, not ${value}.`);
  }
}

/** Reads a decimal number without leading zeros, as C2SP writes sizes. @throws RangeError */
export function parseSize(text: string, name = 'tree size'): number {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) {
    throw new RangeError(`The ${name} must be a decimal number without leading zeros, not "${text}".`);
  }
  const value = Number(text);
  requireSize(value, name);
  return value;
}
