/**
 * The pattern of a text that shows at least one character. White space, control characters, the characters that Unicode
 * calls default-ignorable (zero-width spaces, variation selectors, fillers) and the empty braille pattern show nothing.
 */
export const VISIBLE_PATTERN = '[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]';

const visible = new RegExp(VISIBLE_PATTERN, 'u');

/** Returns true if a value stands for nothing: it is null or missing, or a text that shows no character. */
export const isBlank = (value: unknown): boolean =>
  value == null || (typeof value === 'string' && !visible.test(value));
