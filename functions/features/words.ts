import { foldText } from './foldText.ts';

/** Scripts that are written without spaces between words. Each of their characters counts as a word. */
const NO_SPACES =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const WORD = new RegExp(`[${NO_SPACES}]|[[\\p{L}\\p{M}\\p{N}]--[${NO_SPACES}]]+`, 'gv');

/** The same for text in ASCII, which is several times as fast. */
const ASCII_WORD = /[a-z0-9]+/g;
const ASCII = /^[\0-\x7f]*$/;

/** The word in place of numbers, ids and nonces. */
const MASK = '0';

/**
 * The length up to which a text is compared, in UTF-16 units, and the most words of it. Honest texts have a hundredth.
 */
export const COMPARED_UNITS = 256 * 1024;
export const COMPARED_WORDS = 64 * 1024;

/** The length up to which words are compared, in UTF-16 units. */
export const WORD_UNITS = 64;

/**
 * Splits text into words for comparison. Case, punctuation, accents, invisible characters and letters that look alike
 * do not matter. Every word that contains a digit, such as a price, a time or a nonce, becomes the same word, and a run
 * of them becomes one. The work and the result are bounded for every text.
 * @returns `isCut`: true if the text has more than is compared
 */
export function comparableWords(text: string): { words: readonly string[]; isCut: boolean } {
  const folded = foldText(text.slice(0, COMPARED_UNITS));
  const words: string[] = [];
  for (const [word] of folded.matchAll(ASCII.test(folded) ? ASCII_WORD : WORD)) {
    const masked = /\p{N}/u.test(word) ? MASK : word.slice(0, WORD_UNITS);
    if (masked === MASK && words.at(-1) === MASK) continue;
    if (words.length === COMPARED_WORDS) return { words, isCut: true };
    words.push(masked);
  }
  return { words, isCut: text.length > COMPARED_UNITS };
}

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
