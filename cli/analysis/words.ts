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
 * Splits text into words for comparison. Case, punctuation and invisible characters do not matter. Every word that
 * contains a digit, such as a price, a time or a nonce, becomes the same word, and a run of them becomes one.
 */
export function comparableWords(text: string): string[] {
  const words: string[] = [];
  const found = ASCII.test(text)
    ? text.toLowerCase().match(ASCII_WORD)
    : text
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .toLowerCase()
        .match(WORD);
  for (const word of found ?? []) {
    const masked = /\p{N}/u.test(word) ? MASK : word;
    if (masked !== MASK || words.at(-1) !== MASK) words.push(masked);
  }
  return words;
}
