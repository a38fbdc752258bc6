import { describe, expect, test } from 'vitest';
import {
  count,
  date,
  entryId,
  formatSpan,
  isPort,
  orderId,
  span,
  uid,
  uids,
  upTo,
  zone,
} from '../../../../cli/shell/terminal/arguments.ts';

const HEX = '42d5fb63970822c5f7ddd1790dc15f99';

// biome-ignore format: one parser a line
const parsers: [name: string, parse: (text: string) => unknown, valid: readonly (readonly [string, unknown])[], invalid: readonly string[], says: string][] = [
  ['a UID', uid, [['0', '0'], ['1001', '1001'], ['9'.repeat(32), '9'.repeat(32)]], ['', '01', '1a', 'a1', '-1', '9'.repeat(33)], 'A UID is a decimal number without leading zeros, such as 1001.'],
  ['an order id', orderId, [['1', 1n], ['590480926522704171', 590480926522704171n], ['9223372036854775807', 2n ** 63n - 1n]], ['', '0', '1.5', '9223372036854775808'], 'An order id is an integer from 1 to 9223372036854775807.'],
  ['an entry id', entryId, [['17952655', '17952655'], ['1795265584548', '1795265584548'], ['1795265584548-', '1795265584548-'], [`1795265584548-${HEX}`, `1795265584548-${HEX}`], ['1795265584548-42d5…', '1795265584548-42d5'], ['1795265584548-42d5...', '1795265584548-42d5']], ['1795265', '17952655845481', `1795265584548-${HEX}0`, 'x1795265584548-', '1795265584548-g', '1795265…584548'], 'An entry id is 13 digits, a hyphen and 32 hex digits. Its first 8 characters or more are enough. ailog logs list shows entry ids.'],
  ['a count', count, [['1', 1], ['999999999', 999_999_999]], ['0', '-1', '1.5', '1x', 'x1', '1000000000'], 'It must be a whole number of at least 1.'],
  ['a number up to 1000', upTo(1000), [['0.5', 0.5], ['1000', 1000]], ['', '0', '-1', '1000.1', 'x'], 'It must be a number above 0, at most 1000.'],
  ['a date', date, [['2025-11-14', Date.UTC(2025, 10, 14)], ['2025-11-14T09:30', Date.UTC(2025, 10, 14, 9, 30)], ['2025-11-14T09:30:05', Date.UTC(2025, 10, 14, 9, 30, 5)], ['2025-11-14T09:30:00.5Z', Date.UTC(2025, 10, 14, 9, 30, 0, 500)], ['2025-11-14T09:30+08:00', Date.UTC(2025, 10, 14, 1, 30)], ['2024-02-29', Date.UTC(2024, 1, 29)], ['2025/11/14 9:30', Date.UTC(2025, 10, 14, 9, 30)], ['2025-11-14 09:30:05 UTC', Date.UTC(2025, 10, 14, 9, 30, 5)], ['2025-11-14T09:30 +08:00', Date.UTC(2025, 10, 14, 1, 30)], ['1763112600', Date.UTC(2025, 10, 14, 9, 30)], ['1763112600123', Date.UTC(2025, 10, 14, 9, 30, 0, 123)]], ['', '2025', '14.11.2025', '2025-02-29', '2025-02-31', '2025-13-01', '2025-11-14T25:00Z', '2025-11-14T09', 'x2025-11-14', '2025-11-14x', 'yesterday'], 'A date is a day in UTC, such as 2025-11-14, or a time, such as 2025-11-14T09:30:00Z, 2025-11-14 09:30 or 1763112600.'],
  ['a span', span, [['0', 0], ['90s', 90_000], ['30m', 1_800_000], ['1h', 3_600_000], ['2d', 172_800_000], ['999999s', 999_999_000]], ['', '1', '00', '0x', '1 h', '1w', 'x1h', '1hx', '1000000s'], 'A span is a number with a unit, such as 90s, 30m, 1h or 2d, or just 0.'],
  ['a time zone', zone, [['+08:00', '+08:00'], ['-13:59', '-13:59'], ['-00:00', '+00:00'], ['utc', '+00:00'], ['Europe/Berlin', 'Europe/Berlin'], ['asia/shanghai', 'Asia/Shanghai']], ['08:00', '+8:00', '+15:00', '+08:60', 'x+08:00', '+08:000', 'CST', 'CET', 'Europe/Rom', 'Shanghai'], 'A time zone is an offset from UTC, such as +08:00, or a name with its region, such as Europe/Berlin.'],
];

describe.each(parsers)('%s', (_name, parse, valid, invalid, says) => {
  test.each(valid)('%s is valid', (text, value) => {
    expect(parse(text)).toBe(value);
  });
  test.each(invalid.map((text) => [text]))('"%s" is not valid', (text) => {
    expect(() => parse(text)).toThrow(says);
  });
});

test('a repeated UID counts once', () => {
  expect(['2', '1', '2'].reduce<string[] | undefined>((before, text) => uids(text, before), undefined)).toEqual([
    '2',
    '1',
  ]);
});

test.each(['0', '90s', '30m', '1h', '2d', '25h'])('a span of %s is shown as it is written', (text) => {
  expect(formatSpan(span(text))).toBe(text);
});

test('a port is a number up to 65535', () => {
  expect(['0', '65535', '65536', '100000', '-1', '1x', ''].filter(isPort)).toEqual(['0', '65535']);
});
