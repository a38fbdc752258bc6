import { JSON_STRING } from '../ailog/jsonScanner.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A JSON object, member by member, see `canonicalJson`. */
export type CanonicalJson = ReturnType<typeof canonicalJson>;

const STRING = new RegExp(JSON_STRING, 'y');

/**
 * Rewrites a JSON object in the form in which `JSON.stringify` writes it, except that each number stays digit for
 * digit. It takes a fraction of the time of parsing and writing. It does not bring names into JavaScript's order.
 * @param json a valid JSON object
 * @returns `members`: the values by name, without spaces; `names`: the number of names at any depth, of which one that
 * occurs twice in an object counts twice; `depth`: one for an object without objects and arrays in it
 */
export function canonicalJson(json: string) {
  const members = new Map<string, string>();
  let names = 0;
  let depth = 0;
  let deepest = 0;
  /** The text of the current member as far as it is written, and the index of the text that follows. */
  let written = '';
  let from = 0;
  let name = '';
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const start = at;
      at = json.indexOf('"', start + 1);
      if (json.slice(start, at).includes('\\')) {
        STRING.lastIndex = start;
        STRING.test(json);
        at = STRING.lastIndex - 1;
        written += json.slice(from, start) + JSON.stringify(JSON.parse(json.slice(start, at + 1)));
        from = at + 1;
      }
    } else if (code <= SPACE) {
      written += json.slice(from, at);
      from = at + 1;
    } else if (code === COLON) {
      names += 1;
      if (depth === 1) {
        name = JSON.parse(written + json.slice(from, at));
        written = '';
        from = at + 1;
      }
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (depth === 1) from = at + 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY || code === COMMA) {
      if (depth === 1) {
        if (names > 0) members.set(name, written + json.slice(from, at));
        written = '';
        from = at + 1;
      }
      if (code !== COMMA) depth -= 1;
    }
  }
  return { members, names, depth: deepest };
}
