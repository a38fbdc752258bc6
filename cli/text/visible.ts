/**
 * Characters that are not visible themselves but change what is seen: control characters (C0, DEL and C1), line and paragraph
 * separators, marks that change the direction of text, and invisible characters. Zero-width joiners are not among them,
 * because emoji and several scripts need them. The pattern is global: use it with `replace`.
 */
export const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Escapes a character as JSON does, in UTF-16 units. */
const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** Escapes all hidden characters of a text but its line breaks. In a JSON text, the escapes keep its meaning. */
export const escapeHidden = (text: string): string =>
  text.replace(HIDDEN, (character) => (character === '\n' ? character : escapeUnits(character)));

/**
 * Returns a text as one line on which every character is visible, so that text of a team cannot control the terminal of a
 * reviewer or look like other text.
 */
export const visible = (text: string): string => escapeHidden(text).replaceAll('\n', '\\n');
