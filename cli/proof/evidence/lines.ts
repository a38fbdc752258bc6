/** The lines of evidence, docs/formats.md. Everything here works on a page, too. */
import { isUtf8 } from 'node:buffer';
import { JSON_STRING } from '../../../functions/ailog/jsonScanner.ts';
import { parseJson, withPlainNames } from '../../../functions/ailog/plainNames.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';

/** The longest line, in bytes. One with a body of 1 MiB in which each character is escaped has fewer. */
const LINE_BYTES = 16 * 1024 * 1024;

/** A line by its number, from 1. `bytes`: undefined if it is too long; `isEnded`: by a line feed. */
export type RawLine = Readonly<{ number: number; bytes: Buffer | undefined; isEnded: boolean }>;

/** Yields the lines of a file, however long it is: no more than one line is held. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<RawLine> {
  let number = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length <= LINE_BYTES) parts.push(part);
    else parts = [];
  };
  const end = (isEnded: boolean): RawLine => {
    const line = { number, bytes: length <= LINE_BYTES ? Buffer.concat(parts) : undefined, isEnded };
    [number, parts, length] = [number + 1, [], 0];
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, at));
      yield end(true);
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield end(false);
}

export type Members = Readonly<Record<string, unknown>>;

/** A string of a JSON text, with the colon after it if it is a name, or a bracket. */
const TOKEN = new RegExp(String.raw`(?:${JSON_STRING})(\s*:)?|[{}[\]]`, 'g');

/** Counts the members of a JSON object as they are spelled: a repeated member counts twice. */
function countMembers(json: string): number {
  let depth = 0;
  let count = 0;
  for (const [token, colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && colon !== undefined) count += 1;
  }
  return count;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const BOM = Buffer.from('\ufeff');

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/**
 * Reads a line. @returns its members; nothing; or half of a line, which a power cut has left
 * @throws Error that says why it is no line of evidence
 */
export function readLine({ number, bytes, isEnded }: RawLine): Members | 'blank' | 'cut off' {
  if (!bytes) throw new Error(`The line is longer than ${LINE_BYTES} bytes`);
  let [start, end] = [number === 1 && bytes.subarray(0, 3).equals(BOM) ? 3 : 0, bytes.length];
  while (start < end && isBlank(bytes[start])) start += 1;
  while (start < end && isBlank(bytes[end - 1])) end -= 1;
  const text = bytes.subarray(start, end).toString();
  if (text === '') return 'blank';
  const isText = isUtf8(bytes);
  const members = isText && text.startsWith('{') ? orUndefined(() => parseJson(text)) : undefined;
  if (!isObject(members)) {
    if (!isEnded && /^[{\0]/.test(text)) return 'cut off';
    if (!isText) throw new Error('The line is not UTF-8');
    if (!text.startsWith('{')) return { receipt: text };
    throw new Error('The line is not JSON');
  }
  if (countMembers(withPlainNames(text)) !== Object.keys(members).length) throw new Error('A member is there twice');
  const half = Object.entries(members).find(([, value]) => typeof value === 'string' && !value.isWellFormed());
  if (half) throw new Error(`The text of ${half[0]} has half of a surrogate pair, so it is not UTF-8`);
  return members;
}

/** Returns true if a member has a value. Neither null nor an empty text is one, but for a body. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Returns a text of a line; undefined if it is not present. @throws Error if it is no text */
export function textIn(members: Members, name: string): string | undefined {
  const value = members[name];
  if (!isPresent(value)) return undefined;
  if (typeof value === 'string') return value;
  throw new Error(`${name} must be a text`);
}
