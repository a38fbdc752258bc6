import { escapeHidden } from './visible.ts';

/** A replacer for `JSON.stringify`: an integer beyond 2^53 becomes a string, because most parsers would round it. */
export const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** Formats JSON with big integers as strings. Hidden characters are escaped, which does not change the value. */
export const formatJson = (value: unknown): string => escapeHidden(JSON.stringify(value, bigintAsText, 2));

/** JSON.rawJSON and the source text of a reviver exist in Node, but not yet in the types of TypeScript. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
type Reviver = (this: unknown, key: string, value: unknown, context: { source: string }) => unknown;

/** Parses JSON so that `JSON.stringify` writes every number digit for digit as it was. */
export function parseExactly(text: string): unknown {
  const reviver: Reviver = (_key, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value);
  return JSON.parse(text, reviver as (this: unknown, key: string, value: unknown) => unknown);
}
