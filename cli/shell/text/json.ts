import { orUndefined } from '../../../functions/orUndefined.ts';
import { escapeHidden } from './visible.ts';

/** A replacer for `JSON.stringify`: an integer beyond 2^53 becomes a string, because most parsers would round it. */
export const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** Formats JSON with big integers as strings. Hidden characters are escaped, which does not change the value. */
export const formatJson = (value: unknown): string => escapeHidden(JSON.stringify(value, bigintAsText, 2));

/** Returns true if a text is JSON. */
export const isJson = (text: string): boolean => orUndefined(() => JSON.parse(text)) !== undefined;

/** A replacer for `JSON.stringify` that sorts members: equal values get equal texts. */
export const sortMembers = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
