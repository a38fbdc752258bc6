import { foldText } from './foldText.ts';
import { mix } from './minHash.ts';

/** Scripts that are written without spaces between words. Each of their characters is a piece. */
const NO_SPACES =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The same for text in ASCII, which is several times as fast. */
const ASCII_WORD = /[a-z0-9]+/g;
const ASCII = /^[\0-\x7f]*$/;

const DIGITS = /\p{N}+/gu;
const DIGIT = /\p{N}/u;

/** The letters of a word with digits that are more than a unit or a part of an id. */
const LETTERS_BESIDE_DIGITS = /[\p{L}\p{M}]{4,}/gu;

/** Returns the letters of a word that count: all if digits are few, as in `mar7ket`, else those in long rows. */
function lettersBesideDigits(word: string, letters: string): string {
  const areFew = letters.length >= Math.max(3, 3 * (word.length - letters.length));
  return areFew ? letters : (word.match(LETTERS_BESIDE_DIGITS)?.join('') ?? '');
}

const RUN = new RegExp(`[${NO_SPACES}]|[^${NO_SPACES}]+`, 'gv');
const IS_PIECE = new RegExp(`^[${NO_SPACES}]`, 'v');

/** The length up to which a text is compared, in UTF-16 units, and the most pieces of it: the most work for one log. */
export const COMPARED_UNITS = 64 * 1024;
export const COMPARED_PIECES = 16 * 1024;

/** The letters as which a character of a script without spaces counts: a piece of others has as many on average. */
const LETTERS_OF_PIECE = 4;

const SHORTEST_PIECE = 3;
export const LONGEST_PIECE = 64;

/** Returns true if a piece ends before an index, as the three letters before it say: at every second place. */
function endsPiece(letters: string, end: number): boolean {
  const ab = letters.charCodeAt(end - 3) * 31 + letters.charCodeAt(end - 2);
  return (mix(ab * 31 + letters.charCodeAt(end - 1)) & 1) === 0 && (letters.charCodeAt(end) & 0xfc00) !== LOW_SURROGATE;
}

/** The first of the second halves of characters beyond U+FFFF: no piece begins with one. */
const LOW_SURROGATE = 0xdc00;

/** The letters of a text in whose words digits may hide. Shorter ones have ids beside a word or two. */
const HIDING = 60;

/**
 * Returns the letters of a folded text, without those of prices, ids, nonces and units. If these are most letters, the
 * digits are there to hide them: then those of words with as many letters as digits count too.
 */
function lettersOf(folded: string): string {
  const words = folded.match(ASCII.test(folded) ? ASCII_WORD : WORD) ?? [];
  if (!DIGIT.test(folded)) return words.join('');
  let letters = '';
  let all = '';
  for (const word of words) {
    const without = DIGIT.test(word) ? word.replace(DIGITS, '') : word;
    const kept = without === word ? word : lettersBesideDigits(word, without);
    letters += kept;
    all += 2 * without.length >= word.length ? without : kept;
  }
  return all.length > Math.max(HIDING, 2 * letters.length) ? all : letters;
}

/**
 * Cuts a text into pieces for comparison, by its letters alone: case, accents, look-alikes, digits, hyphens, spaces and
 * invisible characters make no other text. The letters say where a piece ends, so a change affects only the pieces
 * beside it.
 * @returns `letters`: of the pieces; a character of a script without spaces counts as four; `isCut`: the text has more
 * than is compared
 */
export function comparablePieces(text: string): { pieces: readonly string[]; letters: number; isCut: boolean } {
  const pieces: string[] = [];
  let letters = 0;
  for (const run of lettersOf(foldText(text.slice(0, COMPARED_UNITS))).match(RUN) ?? []) {
    letters += IS_PIECE.test(run) ? LETTERS_OF_PIECE : run.length;
    let start = 0;
    for (let end = 1; end <= run.length; end += 1) {
      const length = end - start;
      if (end < run.length && length < LONGEST_PIECE && (length < SHORTEST_PIECE || !endsPiece(run, end))) continue;
      if (pieces.length === COMPARED_PIECES) return { pieces, letters, isCut: true };
      pieces.push(run.slice(start, end));
      start = end;
    }
  }
  return { pieces, letters, isCut: text.length > COMPARED_UNITS };
}

/** Scripts whose words have joiners, marks of direction and breaks in honest text. */
const JOINING = ['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Hebr', 'Khmr', 'Knda', 'Laoo', 'Mlym', 'Mong', 'Mymr', 'Nkoo']
  .concat(['Orya', 'Sinh', 'Syrc', 'Taml', 'Telu', 'Thaa', 'Thai', 'Tibt'])
  .map((script) => `\\p{scx=${script}}`)
  .join('');

/** A letter, digit or mark of the other scripts. U+2139 is an emoji though Unicode calls it a letter. */
const PLAIN = `[[\\p{L}\\p{N}\\p{M}]--[${JOINING}\\p{DI}\\u2139]]`;

/** Invisible characters that also end words in honest text: soft hyphens, marks of direction, and byte-order marks. */
const AT_ENDS = '\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff';

const HIDDEN = /\p{DI}/u;

/** Invisible characters in a word, or at its end. A digit with U+20E3 is an emoji. */
const HIDDEN_IN_WORD = new RegExp(
  `(?<=${PLAIN})(?:[\\p{DI}--[${AT_ENDS}]](?!\\u20e3)|[${AT_ENDS}](?=[\\p{DI}]*${PLAIN}))`,
  'gv',
);

/** Counts the places, up to a limit, at which invisible characters are in a word, and no script or emoji needs them. */
export function countHiddenInWords(text: string, limit: number): number {
  let count = 0;
  // Most texts have none, and this takes a tenth of the time.
  if (!HIDDEN.test(text)) return count;
  for (const _place of text.matchAll(HIDDEN_IN_WORD)) {
    count += 1;
    if (count === limit) break;
  }
  return count;
}
