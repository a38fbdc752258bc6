import { isOrderId, ORDER_ID_LIMIT } from '../../../functions/ailog/orderId.ts';
import { parseOrderTime } from '../text/time.ts';
import { isUid } from '../text/uid.ts';
import { offsetOf, zoneNamed } from '../text/zones.ts';

/** The error in the text of an argument or an option, as a sentence. */
export class WrongArgument extends Error {}

/** Parses a UID. */
export function uid(text: string): string {
  if (!isUid(text)) throw new WrongArgument('A UID is a decimal number without leading zeros, such as 1001.');
  return text;
}

/** Collects UIDs, each once. */
export const uids = (text: string, before: readonly string[] = []) => [...new Set([...before, uid(text)])];

/** Parses an order id without losing a digit. */
export function orderId(text: string): bigint {
  if (!isOrderId(text) || text === '' || text === '0') {
    throw new WrongArgument(`An order id is an integer from 1 to ${ORDER_ID_LIMIT}.`);
  }
  return BigInt(text);
}

/** Parses an entry id, or the start of one. A trailing `…`, as tables show a cut id, is dropped. */
export function entryId(text: string): string {
  const id = text.replace(/(…|\.\.\.)$/, '');
  if (!/^(\d{8,13}|\d{13}-[0-9a-f]{0,32})$/.test(id)) {
    throw new WrongArgument(
      'An entry id is 13 digits, a hyphen and 32 hex digits. Its first 8 characters or more are enough. ailog logs list shows entry ids.',
    );
  }
  return id;
}

export const entryIds = (text: string, before: readonly string[] = []): readonly string[] => [...before, entryId(text)];

/** Parses a whole number, at least 1. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongArgument('It must be a whole number of at least 1.');
  return Number(text);
}

/** Returns true for the number of a port, or 0 for any that is free. */
export const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;

/** Returns a parser of numbers above 0. */
export const upTo = (most: number) => (text: string) => {
  if (Number(text) > 0 && Number(text) <= most) return Number(text);
  throw new WrongArgument(`It must be a number above 0, at most ${most}.`);
};

export const texts = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Parses a day, or a time as order lists have it; in UTC unless it has an offset. @returns milliseconds since 1970 */
export function date(text: string): number {
  const at = parseOrderTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text} 00:00` : text, 'Z');
  if (Number.isNaN(at)) {
    throw new WrongArgument(
      'A date is a day in UTC, such as 2025-11-14, or a time, such as 2025-11-14T09:30:00Z, 2025-11-14 09:30 or 1763112600.',
    );
  }
  return at;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a span of time. @returns milliseconds */
export function span(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})(s|m|h|d)$|^0$/.exec(text) ?? [];
  if (amount === undefined && text !== '0') {
    throw new WrongArgument('A span is a number with a unit, such as 90s, 30m, 1h or 2d, or just 0.');
  }
  return Number(amount ?? 0) * (UNITS[unit] as number);
}

/** Formats a span as `span` reads it, in its largest whole unit. @param ms milliseconds */
export function formatSpan(ms: number): string {
  const [unit, length] = Object.entries(UNITS).findLast(([, length]) => ms % length === 0) ?? ['s', 1000];
  return ms === 0 ? '0' : `${ms / length}${unit}`;
}

/** Parses a time zone: an offset from UTC, or a name. */
export function zone(text: string): string {
  const found = /^[+-]\d\d:\d\d$/.test(text) ? offsetOf(text) : /^UTC$/i.test(text) ? '+00:00' : zoneNamed(text);
  if (found !== undefined) return found;
  throw new WrongArgument(
    'A time zone is an offset from UTC, such as +08:00, or a name with its region, such as Europe/Berlin.',
  );
}
