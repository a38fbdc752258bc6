import type { Entry } from '../../functions/ailog/entry.ts';
import { JSON_STRING } from '../../functions/ailog/jsonScanner.ts';
import { explanationOf } from './bodyOf.ts';

/** The place of a text in an entry. */
export interface TextMatch {
  readonly where: 'stage' | 'model' | 'explanation' | 'body';
  /** The text with what stands around it. */
  readonly excerpt: string;
}

/** The number of characters around the text in an excerpt. */
const EXCERPT_MARGIN = 30;

/** Makes spellings of the same text equal: composed and decomposed letters, upper and lower case. */
const fold = (text: string) => text.normalize('NFC').toLowerCase();

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

/** Finds a text in another. @returns the text with what stands around it; undefined if it is not there */
function excerptOf(wanted: string, text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const folded = fold(text);
  const at = folded.indexOf(wanted);
  if (at === -1) return undefined;
  // Folding may change the length of a text; then the excerpt is of the folded one.
  const source = folded.length === text.length ? text : folded;
  const [from, to] = [Math.max(0, at - EXCERPT_MARGIN), at + wanted.length + EXCERPT_MARGIN];
  const part = source.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${part}${to < source.length ? '…' : ''}`;
}

/**
 * Finds a text in stage, model, explanation or body of an entry; the first of them that contains it counts. It finds text
 * of the body as people read it, without escapes, and as it was sent.
 */
export function findText(text: string, entry: Entry, body: string | undefined): TextMatch | undefined {
  const wanted = fold(text);
  const places = { stage: () => entry.stage, model: () => entry.model, explanation: () => explanationOf(entry, body) };
  for (const [where, read] of Object.entries(places)) {
    const excerpt = excerptOf(wanted, read());
    if (excerpt !== undefined) return { where: where as TextMatch['where'], excerpt };
  }
  const excerpt =
    body === undefined ? undefined : (excerptOf(wanted, unescapeStrings(body)) ?? excerptOf(wanted, body));
  return excerpt === undefined ? undefined : { where: 'body', excerpt };
}
