import { JSON_STRING } from '../ailog/jsonScanner.ts';

const [SPACE, QUOTE, COMMA, COLON] = [0x20, 0x22, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export type CanonicalJson = ReturnType<typeof canonicalJson>;

const STRING = new RegExp(JSON_STRING, 'y');

/**
 * Rewrites a valid object as `JSON.stringify` does, in a fraction of its time, but each number digit for digit and
 * names in order. @returns `members`: values by name; `names`: their number at any depth, one that occurs twice in an
 * object counted twice; `depth`: one for an object without objects and arrays in it
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
