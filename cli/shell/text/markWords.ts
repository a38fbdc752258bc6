import { diffWordsWithSpace } from 'diff';

/** The longest lines of which words are compared, and the most words that may differ: the work grows with both. */
const LENGTH_LIMIT = 20_000;
const CHANGES_LIMIT = 100;

/** The number of characters of an equal text that are shown beside a difference. */
const CONTEXT = 40;

/** A line with marks. `isCut`: an equal text is shown in part. */
export interface MarkedText {
  readonly text: string;
  readonly isCut: boolean;
}

const lettersIn = (text: string): number => text.replace(/[^\p{L}\p{N}]/gu, '').length;

function shorten(text: string): string {
  const characters = [...text];
  if (characters.length <= 2 * CONTEXT + 3) return text;
  return `${characters.slice(0, CONTEXT).join('')} … ${characters.slice(-CONTEXT).join('')}`;
}

/**
 * Marks the words in which two lines differ, as `git diff --word-diff` does: `[-old-]` in the first line and `{+new+}`
 * in the second one.
 * @param full shows long equal texts whole
 * @returns both lines; undefined if they have less than half in common, or differ in too many words
 */
export function markWords(before: string, after: string, full: boolean): [MarkedText, MarkedText] | undefined {
  if (Math.max(before.length, after.length) > LENGTH_LIMIT) return undefined;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: CHANGES_LIMIT });
  if (!parts) return undefined;
  const runs: { before: string; after: string; isEqual: boolean }[] = [];
  for (const [index, { value, added, removed }] of parts.entries()) {
    // Blanks and punctuation between two differences would tear them apart.
    const isEnd = index === 0 || index === parts.length - 1;
    const isEqual = !added && !removed && (isEnd || lettersIn(value) > 0);
    const last = runs.at(-1);
    const run = last?.isEqual === false && !isEqual ? last : { before: '', after: '', isEqual };
    if (run !== last) runs.push(run);
    if (!added) run.before += value;
    if (!removed) run.after += value;
  }
  const equal = runs.filter(({ isEqual }) => isEqual).map((run) => run.before);
  const common = equal.reduce((sum, text) => sum + lettersIn(text), 0);
  if (common === 0 || common * 2 < Math.min(lettersIn(before), lettersIn(after))) return undefined;
  const isCut = !full && equal.some((text) => shorten(text) !== text);
  const line = (side: 'before' | 'after', open: string, close: string): MarkedText => {
    const texts = runs.map((run) => {
      if (run.isEqual) return full ? run.before : shorten(run.before);
      return run[side] && open + run[side] + close;
    });
    return { text: texts.join(''), isCut };
  };
  return [line('before', '[-', '-]'), line('after', '{+', '+}')];
}
