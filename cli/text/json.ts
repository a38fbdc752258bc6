import { originalName, withPlainNames } from '../../functions/ailog/plainNames.ts';
import { escapeHidden } from './visible.ts';

/** A replacer for `JSON.stringify`: an integer beyond 2^53 becomes a string, because most parsers would round it. */
export const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** Formats JSON with big integers as strings. Hidden characters are escaped, which does not change the value. */
export const formatJson = (value: unknown): string => escapeHidden(JSON.stringify(value, bigintAsText, 2));

/** JSON.rawJSON and the source text of a reviver exist in Node, but not yet in the types of TypeScript. */
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };
type Reviver = (this: unknown, key: string, value: unknown, context: { source: string }) => unknown;

/** Returns an object with the names that it had before `withPlainNames`, and any other value as it is. */
function withOriginalNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  if (members.every(([name]) => originalName(name) === name)) return value;
  return Object.fromEntries(members.map(([name, member]) => [originalName(name), member]));
}

/**
 * Parses JSON that other people wrote, so that `JSON.stringify` writes every number digit for digit and every name as
 * it was. See `withPlainNames`. Node.js 20 has no `rawJSON`: there, numbers keep their value only, which is enough for
 * the packed command line.
 */
export function parseExactly(text: string): unknown {
  const reviver: Reviver = (_key, value, context) =>
    rawJSON && typeof value === 'number' ? rawJSON(context.source) : withOriginalNames(value);
  return JSON.parse(withPlainNames(text), reviver as (this: unknown, key: string, value: unknown) => unknown);
}

/** Parses JSON that other people wrote, with every name as it was. See `withPlainNames`. @throws SyntaxError */
export const parseWithNames = (text: string): unknown =>
  JSON.parse(withPlainNames(text), (_name, value: unknown) => withOriginalNames(value));
