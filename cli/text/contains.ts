/** Returns true if a text contains another, in any case, or if there is no other. */
export const contains = (text: string | undefined, part: string | undefined): boolean =>
  part === undefined || (text ?? '').toLowerCase().includes(part.toLowerCase());
