import { InvalidArgumentError } from '@commander-js/extra-typings';
import { isOrderId, ORDER_ID_LIMIT } from '../../functions/ailog/orderId.ts';

/** Whether a text is a UID: decimal digits, as the competition hands them out. */
export const isUid = (text: string): boolean => /^(0|[1-9]\d{0,31})$/.test(text);

/** A UID. */
export function uid(text: string): string {
  if (!isUid(text)) throw new InvalidArgumentError('A UID is a decimal number without leading zeros, such as 1001.');
  return text;
}

/** One or more UIDs, each once. */
export const uids = (text: string, before: readonly string[] | undefined): string[] => [
  ...new Set([...(before ?? []), uid(text)]),
];

/** An order id, digit for digit. */
export function orderId(text: string): bigint {
  if (!isOrderId(text) || text === '' || text === '0') {
    throw new InvalidArgumentError(`An order id is an integer from 1 to ${ORDER_ID_LIMIT}.`);
  }
  return BigInt(text);
}

/** An entry id, as uploads answer it. */
export function entryId(text: string): string {
  if (!/^\d{13}-[0-9a-f]{32}$/.test(text)) {
    throw new InvalidArgumentError(
      'An entry id is 13 digits, a hyphen and 32 hex digits, as ailog logs list shows it.',
    );
  }
  return text;
}

/** A number of things, at least one. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** A point in time, in milliseconds since 1970, from ISO 8601; UTC where no offset says otherwise. NaN for other texts. */
export function parseDate(text: string): number {
  if (!DATE.test(text)) return Number.NaN;
  const offset = text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? '' : 'Z';
  const at = Date.parse(text + offset);
  // Date.parse takes the 31st of February for a day in March.
  return new Date(`${text.slice(0, 10)}T00:00Z`).toJSON()?.startsWith(text.slice(0, 10)) ? at : Number.NaN;
}

/** A point in time, in milliseconds since 1970. */
export function date(text: string): number {
  const at = parseDate(text);
  if (Number.isNaN(at)) {
    throw new InvalidArgumentError(
      'A date is a day in UTC, such as 2025-11-14, or a time, such as 2025-11-14T09:30:00Z.',
    );
  }
  return at;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A span of time, in milliseconds. */
export function span(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})(s|m|h|d)$|^0$/.exec(text) ?? [];
  if (amount === undefined && text !== '0') {
    throw new InvalidArgumentError('A span is a number with its unit, such as 90s, 30m, 1h or 2d; 0 is none.');
  }
  return Number(amount ?? 0) * (UNITS[unit] as number);
}
