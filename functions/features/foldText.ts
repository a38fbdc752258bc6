import { BoundedMap } from '../boundedMap.ts';
import { foldLookAlikes } from './lookAlikes.ts';

/**
 * Runs of all but ASCII, usual punctuation and Chinese characters: folding changes only the case of these, none joins.
 */
const RUN = /[^\0-\x7f\u2013\u2014\u2018\u2019\u201c\u201d\u20ac\u2190-\u2193\u3001\u3002\u4e00-\u9fff]+/g;

/** Characters that show nothing, or only change what is around them, and apostrophes and dots that count as letters. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u02b9-\u02df\u02e5-\u02ff\ua78b\ua78c\ua78f]+/gv;

/** Returns a text without what nobody sees in it. */
export const withoutInvisible = (text: string): string => text.replace(RUN, (run) => run.replace(INVISIBLE, ''));

/** A run of marks. The halfwidth sound marks of Japanese are letters that normalization turns into marks. */
const MARK_RUN = /([\p{M}\uff9e\uff9f])[\p{M}\uff9e\uff9f]+/gv;

/** All marks but the sound marks of Japanese, which make other syllables of kana. */
const MARK = /[\p{M}--[\u3099\u309a]]|(?<![\p{sc=Hira}\p{sc=Kana}])[\u3099\u309a]/gv;

/** Arabic phrases in one character each, of which normalization makes up to 18 letters: the first stands for them. */
const PHRASE = /[\ufdfa\ufdfb]/g;
const PHRASE_LETTER: Readonly<Record<string, string>> = { '\ufdfa': '\u0635', '\ufdfb': '\u062c' };

/**
 * Makes spellings equal that people read as the same: case, width, accents, look-alikes, invisible characters. Chinese
 * characters and kana stay. Normalization takes the square of a run of marks, so only one mark gets there.
 */
export function foldText(text: string): string {
  return text.replace(RUN, foldRun).toLowerCase();
}

/** Short runs, such as an emoji, and what folding makes of them: most come again and again. */
const foldedRuns = new BoundedMap<string, string>(5000);
const SHORT_RUN = 8;

function foldRun(text: string): string {
  const known = foldedRuns.get(text);
  if (known !== undefined) return known;
  const plain = text
    .replace(INVISIBLE, '')
    .replace(PHRASE, (phrase) => PHRASE_LETTER[phrase] ?? phrase)
    .replace(MARK_RUN, '$1')
    .normalize('NFKD')
    .replace(MARK, '')
    .normalize('NFC');
  const folded = foldLookAlikes(plain);
  if (text.length <= SHORT_RUN) foldedRuns.set(text, folded);
  return folded;
}
