/** Returns true if a text contains another, in any case, or if there is no other. */
export const contains = (text: unknown, part: string | undefined): boolean =>
  part === undefined ||
  String(text ?? '')
    .toLowerCase()
    .includes(part.toLowerCase());
