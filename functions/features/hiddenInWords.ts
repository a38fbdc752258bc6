/**
 * Scripts whose words have invisible characters in honest text: joiners, marks of direction and breaks between words.
 */
const JOINING = ['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Hebr', 'Khmr', 'Knda', 'Laoo', 'Mlym', 'Mong', 'Mymr', 'Nkoo']
  .concat(['Orya', 'Sinh', 'Syrc', 'Taml', 'Telu', 'Thaa', 'Thai', 'Tibt'])
  .map((script) => `\\p{scx=${script}}`)
  .join('');

/** A letter, digit or mark of the other scripts. U+2139 is an emoji though Unicode calls it a letter. */
const PLAIN = `[[\\p{L}\\p{N}\\p{M}]--[${JOINING}\\p{DI}\\u2139]]`;

/** Invisible characters that also end words in honest text: soft hyphens, marks of direction, and byte-order marks. */
const AT_ENDS = '\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff';

/** Invisible characters in a word, or at its end. A digit with U+20E3 is an emoji. */
const HIDDEN_IN_WORD = new RegExp(
  `(?<=${PLAIN})(?:[\\p{DI}--[${AT_ENDS}]](?!\\u20e3)|[${AT_ENDS}](?=[\\p{DI}]*${PLAIN}))`,
  'gv',
);

/**
 * Counts the places at which a text has invisible characters in a word, up to a limit. Those of emoji, and those that
 * Arabic, Hebrew, Indic, Thai and similar scripts need, do not count.
 */
export function countHiddenInWords(text: string, limit: number): number {
  let count = 0;
  for (const _place of text.matchAll(HIDDEN_IN_WORD)) {
    count += 1;
    if (count === limit) break;
  }
  return count;
}
