import { HIDDEN } from './visible.ts';

/** Text for CSV that no spreadsheet runs or shortens: `fromSpreadsheet(toSpreadsheet(text))` is the text again. */

/** The start of a formula: its first character, with the separators, blanks and quotes before it. */
const FORMULA = /^[=+\-@＝＋－＠]|([;|\s"']+)([=+\-@＝＋－＠])?/g;

/** Returns true if what matches `FORMULA` is at the start of a cell, or of a part of it, and has the character. */
const isFormula = (index: number, before = '', first = ''): boolean =>
  first !== '' && (index === 0 || /[;|\t\n]/.test(before));

/** Text that looks like such an escape gets a tilde more, so that the two can be told apart. */
const LOOKS_ESCAPED = /\\(~*u\{[0-9a-f]{4,6}\})/g;
const ESCAPED = /\\(~*)u\{([0-9a-f]{4,6})\}/g;

/** A number of so many digits that a spreadsheet would shorten it: most show 11 digits and keep 15. */
const LONG_NUMBER = /^'*\d{12,}$/;
const PROTECTED_NUMBER = /^'('*\d{12,})$/;

/** Returns true for tabs and line breaks, which cells keep. A carriage return counts only as part of a line break. */
const isLayout = (character: string, next: string | undefined) =>
  character === '\t' || character === '\n' || (character === '\r' && next === '\n');

const codeOf = (character: string) => (character.codePointAt(0) as number).toString(16).padStart(4, '0');

/** Puts an apostrophe in front of a number of 12 or more digits. */
export const keepDigits = (text: string): string => (LONG_NUMBER.test(text) ? `'${text}` : text);

/** Returns text for a cell: an apostrophe before a formula or a long number, and hidden characters as `\u{202e}`. */
export function toSpreadsheet(text: string): string {
  const escaped = text
    .replace(LOOKS_ESCAPED, '\\~$1')
    .replace(HIDDEN, (character, index: number, whole: string) =>
      isLayout(character, whole[index + 1]) ? character : `\\u{${codeOf(character)}}`,
    );
  const safe = escaped.replace(FORMULA, (match, before?: string, first?: string, index = 0) =>
    before === undefined ? `'${match}` : isFormula(index, before, first) ? `${before}'${first}` : match,
  );
  return keepDigits(safe);
}

export const fromSpreadsheet = (cell: string): string =>
  cell
    .replace(PROTECTED_NUMBER, '$1')
    .replace(FORMULA, (match, before?: string, first?: string, index = 0) =>
      before?.endsWith("'") && isFormula(index, before, first) ? before.slice(0, -1) + first : match,
    )
    .replace(ESCAPED, (match, tildes: string, code: string) => {
      if (tildes !== '') return `\\${match.slice(2)}`;
      const point = Number.parseInt(code, 16);
      return point > 0x10ffff ? match : String.fromCodePoint(point);
    });
