/** A character that shows: no white space, control or default-ignorable character, nor the empty braille pattern. */
export const VISIBLE_PATTERN = '[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]';

const visible = new RegExp(VISIBLE_PATTERN, 'u');

/** Returns true if a value stands for nothing: it is null or missing, or a text that shows no character. */
export const isBlank = (value: unknown): boolean =>
  value == null || (typeof value === 'string' && !visible.test(value));
