/**
 * Matches a string, and the colon after it if it is a name. A string that does not end matches up to the end of the
 * text.
 */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)(\s*:)?/gs;

/**
 * Matches an escape, or what must not be in a string of a JSON text: a backslash without one, or a control character.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|(["\\/bfnrt]))|[\\\u0000-\u001f]/g;

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A noncharacter of Unicode. In a rewritten name, it stands before the letter of a character that JSON must escape. */
const MARK = '\uFFFF';

/** Characters that a name cannot have without an escape, and the mark itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\uffff]/g;

/** The first of 256 letters that stand for the characters with these codes. */
const FIRST_LETTER = 0x100;

const replaced = (character: string): string =>
  MARK + (character === MARK ? MARK : String.fromCharCode(FIRST_LETTER + character.charCodeAt(0)));

/**
 * Writes a name without escapes. No two names become the same.
 * @param spelled the name as the JSON text spells it
 * @returns undefined if a JSON text cannot spell a name like this
 */
function plainName(spelled: string): string | undefined {
  let isValid = true;
  const name = spelled.replace(ESCAPE, (_, hex?: string, letter?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    isValid &&= letter !== undefined;
    return ESCAPED[letter ?? ''] ?? letter ?? '';
  });
  return isValid ? name.replace(NEEDS_ESCAPE, replaced) : undefined;
}

/**
 * Rewrites a JSON text so that no name has an escape: `"\u0061"` becomes `"a"`. V8 from Node.js 24 on can take an
 * escaped name for another one, which an earlier parse in the same process has read (docs/decisions/escaped-names.md).
 * So every text that other people wrote is parsed in this form. Names with characters that JSON must escape get others
 * in their place; no decision depends on those names but whether two of them are equal.
 * @param json a valid JSON text; any other text stays invalid
 */
export function withPlainNames(json: string): string {
  if (!json.includes('\\') && !json.includes(MARK)) return json;
  return json.replace(STRING, (token, colon: string | undefined) => {
    if (colon === undefined || !/[\\\uffff]/.test(token)) return token;
    const end = token.lastIndexOf('"', token.length - colon.length);
    const name = plainName(token.slice(1, end));
    return name === undefined ? token : `"${name}"${colon}`;
  });
}

/** Returns a name as it was before `withPlainNames`, to show it. */
export const originalName = (name: string): string =>
  name.replace(/\uffff(.)/gs, (_, letter: string) =>
    letter === MARK ? MARK : String.fromCharCode(letter.charCodeAt(0) - FIRST_LETTER),
  );

/** Parses a JSON text that other people wrote, with `withPlainNames`. @throws SyntaxError */
export const parseJson = (json: string): unknown => JSON.parse(withPlainNames(json));
