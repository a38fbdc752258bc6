import { JSON_STRING } from '../ailog/jsonScanner.ts';
import { orUndefined } from '../orUndefined.ts';
import { foldText } from './foldText.ts';

/** The most UTF-8 bytes of a search text, and the most UTF-16 units that are folded to get them. */
const SEARCH_BYTES = 8 * 1024;
const FOLDED_UNITS = 64 * 1024;

/** Ends a search text that is cut. No folded text contains it, because folding makes three full stops of it. */
export const CUT = '…';

const STRING = new RegExp(JSON_STRING, 'g');

/** Replaces the escapes in the strings of a JSON text, so that `\u51b3` can be found as 决. */
export function unescapeStrings(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(STRING, (token) => orUndefined(() => `"${JSON.parse(token)}"`) ?? token);
}

/** Returns the folded text in which a log is searched. More than 8 KiB are cut and end with `CUT`. */
export function searchText(parts: { stage: string; model: string; explanation: string; body: string }): string {
  const { stage, model, explanation, body } = parts;
  const source = [stage, model, explanation, unescapeStrings(body.slice(0, FOLDED_UNITS))].join('\n');
  const text = foldText(source.slice(0, FOLDED_UNITS)).toWellFormed();
  const isWhole = body.length < FOLDED_UNITS && source.length < FOLDED_UNITS;
  if (isWhole && Buffer.byteLength(text) <= SEARCH_BYTES) return text;
  // The cut may leave a part of a character, which becomes U+FFFD.
  const kept = Buffer.from(text).toString('utf8', 0, SEARCH_BYTES - Buffer.byteLength(CUT));
  return `${kept.replace(/\ufffd$/, '')}${CUT}`;
}
