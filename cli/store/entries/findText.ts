import type { Entry } from '../../../functions/ailog/entry.ts';
import { unescapeStrings } from '../../../functions/features/searchText.ts';
import { findFolded } from '../../shell/text/find.ts';
import { explanationOf } from './describeEntry.ts';

export type TextMatch = { readonly where: 'stage' | 'model' | 'explanation' | 'body'; readonly excerpt: string };

/** The number of characters before and after the text in an excerpt: few before, so that a narrow column shows it. */
const MARGIN_BEFORE = 12;
const MARGIN_AFTER = 30;

/** The most characters of an excerpt: invisible characters can make a match of any length. */
export const EXCERPT_LIMIT = 400;

function excerptOf(wanted: string, text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const [place] = findFolded(wanted, text, 1);
  if (!place) return undefined;
  const [start, end] = place;
  const from = Math.max(0, start - MARGIN_BEFORE);
  const to = Math.min(end + MARGIN_AFTER, from + EXCERPT_LIMIT);
  const part = text.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`;
}

/** Finds a text in stage, model, explanation or body of an entry, as people read it or as it was sent. */
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
