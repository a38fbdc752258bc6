import { JSON_STRING } from './jsonScanner.ts';

const STRING = new RegExp(`${JSON_STRING}(\\s*:)?`, 'g');

/** Matches an escape, or what a string of a JSON text must not have: another backslash, or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|(["\\/bfnrt]))|[\\\u0000-\u001f]/g;

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A noncharacter of Unicode. In a rewritten name, it stands before the letter of a character that JSON must escape. */
const MARK = '\uFFFF';

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\uffff]/g;

/** The first of 256 letters that stand for the characters with these codes. */
const FIRST_LETTER = 0x100;

const replaced = (character: string): string =>
  MARK + (character === MARK ? MARK : String.fromCharCode(FIRST_LETTER + character.charCodeAt(0)));

/** Writes a name without escapes. No two become the same. @returns undefined if a JSON text cannot spell it so */
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
 * Writes names without escapes: V8 from Node.js 24 on can take an escaped one for another that an earlier parse has
 * read (docs/decisions.md#escaped-names). Names with characters that JSON must escape get others; no decision depends
 * on those but whether two are equal. @param json a valid JSON text; any other text stays invalid
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

/** JSON.rawJSON and the source text of a reviver exist in Node, but not yet in the types of TypeScript. */
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };
type Reviver = (this: unknown, key: string, value: unknown, context: { source: string }) => unknown;

function withOriginalNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  if (members.every(([name]) => originalName(name) === name)) return value;
  return Object.fromEntries(members.map(([name, member]) => [originalName(name), member]));
}

/**
 * Parses JSON that other people wrote, so that `JSON.stringify` writes every number digit for digit and every name as
 * it was. Node.js 20 has no `rawJSON`: there, numbers keep their value only, which suffices for the packed command
 * line.
 */
export function parseExactly(text: string): unknown {
  const reviver: Reviver = (_key, value, context) =>
    rawJSON && typeof value === 'number' ? rawJSON(context.source) : withOriginalNames(value);
  return JSON.parse(withPlainNames(text), reviver as (this: unknown, key: string, value: unknown) => unknown);
}

/** Parses JSON that other people wrote, with every name as it was. See `withPlainNames`. @throws SyntaxError */
export const parseWithNames = (text: string): unknown =>
  JSON.parse(withPlainNames(text), (_name, value: unknown) => withOriginalNames(value));
