import type { Entry } from '../../functions/ailog/entry.ts';
import { JSON_STRING } from '../../functions/ailog/jsonScanner.ts';
import { foldText } from '../text/foldText.ts';
import { explanationOf } from './bodyOf.ts';

/** The place of a text in an entry. */
export interface TextMatch {
  readonly where: 'stage' | 'model' | 'explanation' | 'body';
  /** The text with what stands around it. */
  readonly excerpt: string;
}

/** The number of characters before and after the text in an excerpt: few before, so that a narrow column shows it. */
const [MARGIN_BEFORE, MARGIN_AFTER] = [12, 30];

/** The most characters of an excerpt: invisible characters can make a match of any length. */
export const EXCERPT_LIMIT = 400;

/** The characters that are folded at once to find the place of a match. */
const CHUNK = 1024;

const STRING = new RegExp(JSON_STRING, 'g');

/** Replaces the escapes in the strings of a JSON text, so that `\u51b3` can be found as 决. */
function unescapeStrings(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(STRING, (token) => {
    try {
      return `"${JSON.parse(token)}"`;
    } catch {
      return token;
    }
  });
}

/** Returns the index in a text of which the folded text before has a length. It folds the text once more, in chunks. */
function sourceIndex(text: string, foldedLength: number): number {
  let [start, before] = [0, 0];
  for (; start < text.length; start += CHUNK) {
    const { length } = foldText(text.slice(start, start + CHUNK));
    if (before + length > foldedLength) break;
    before += length;
  }
  let [low, high] = [start, Math.min(text.length, start + CHUNK)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (before + foldText(text.slice(start, middle)).length <= foldedLength) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Finds a text in another, however it is spelled: see `foldText`. A text of which folding leaves nothing, such as an
 * invisible character, is found as it is.
 * @returns the text with what stands around it; undefined if it is not there
 */
function excerptOf(wanted: string, text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const foldedWanted = foldText(wanted);
  const folded = foldedWanted === '' ? text : foldText(text);
  const at = folded.indexOf(foldedWanted || wanted);
  if (at === -1) return undefined;
  const isAligned = folded.length === text.length;
  const start = isAligned ? at : sourceIndex(text, at);
  const length = (foldedWanted || wanted).length;
  const end = isAligned ? at + length : Math.max(start + 1, sourceIndex(text, at + length));
  const from = Math.max(0, start - MARGIN_BEFORE);
  const to = Math.min(end + MARGIN_AFTER, from + EXCERPT_LIMIT);
  const part = text.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`;
}

/**
 * Finds a text in stage, model, explanation or body of an entry; the first of them that contains it counts. It finds
 * text of the body as people read it, without escapes, and as it was sent. Case, accents, look-alikes and invisible
 * characters do not matter.
 */
export function findText(text: string, entry: Entry, body: string | undefined): TextMatch | undefined {
  const places = { stage: () => entry.stage, model: () => entry.model, explanation: () => explanationOf(entry, body) };
  for (const [where, read] of Object.entries(places)) {
    const excerpt = excerptOf(text, read());
    if (excerpt !== undefined) return { where: where as TextMatch['where'], excerpt };
  }
  if (body === undefined) return undefined;
  const unescaped = unescapeStrings(body);
  const excerpt = excerptOf(text, unescaped) ?? (unescaped === body ? undefined : excerptOf(text, body));
  return excerpt === undefined ? undefined : { where: 'body', excerpt };
}
