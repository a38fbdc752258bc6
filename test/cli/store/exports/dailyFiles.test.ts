import { expect, test } from 'vitest';
import { firstDay, missingDays } from '../../../../cli/store/exports/dailyFiles.ts';

const NOON = Date.parse('2025-11-14T12:00:00Z');
const MIDNIGHT = Date.parse('2025-11-17T00:00:00Z');
const days = (names: readonly string[], now: number, since: number | undefined = NOON) =>
  missingDays(names, { since, now, format: 'jsonl' }).map(({ name }) => name.slice(10, 15));

// biome-ignore format: one case a line
test.each<[name: string, found: readonly string[], missing: readonly string[]]>([
  ['all days from that of the first entry', days([], MIDNIGHT + 3_600_000), ['11-14', '11-15', '11-16']],
  ['what a folder has not', days(['logs-2025-11-15.jsonl', 'x'], MIDNIGHT + 3_600_000), ['11-14', '11-16']],
  ['what it has in another format', days(['logs-2025-11-16.csv'], MIDNIGHT + 3_600_000), ['11-14', '11-15', '11-16']],
  ['no day whose last uploads may be on their way', days([], MIDNIGHT + 59_999), ['11-14', '11-15']],
  ['a day whose last uploads have arrived', days([], MIDNIGHT + 60_000), ['11-14', '11-15', '11-16']],
  ['nothing on the first day', days([], NOON + 1000), []],
  ['nothing without an entry', missingDays([], { since: undefined, now: NOON, format: 'csv' }).map(({ name }) => name), []],
  ['nothing if an entry is of the future', days([], NOON, MIDNIGHT), []],
])('a daily export writes %s', (_name, found, missing) => {
  expect(found).toEqual(missing);
});

test('a day is from midnight to midnight in UTC, and the first file says which was the first', () => {
  expect(missingDays([], { since: NOON, now: NOON + 86_400_000, format: 'csv' })).toEqual([
    { since: Date.parse('2025-11-14'), until: Date.parse('2025-11-15'), name: 'logs-2025-11-14.csv' },
  ]);
  expect(firstDay(['logs-2025-11-16.jsonl', 'logs-2025-11-15.csv', 'logs-2025-11-13.jsonl.part', 'daily.lock'])).toBe(
    Date.parse('2025-11-15'),
  );
  expect(firstDay(['notes.txt'])).toBeUndefined();
});
