import { expect, test } from 'vitest';
import { clockOf, timeTicks } from '../../../cli/console/page/scale.ts';

test.each([
  ['2025-11-17T00:00Z', '2025-11-19T00:00Z', ['11-17', '12:00', '11-18', '12:00']],
  ['2025-12-31T00:00Z', '2026-01-02T00:00Z', ['2025-12-31', '12:00', '2026-01-01', '12:00']],
  // The end is exclusive.
  ['2025-12-30T00:00Z', '2026-01-01T00:00Z', ['12-30', '12:00', '12-31', '12:00']],
])('a scale from %s to %s names the year only where it spans one', (from, until, texts) => {
  const ticks = timeTicks(Date.parse(from), Date.parse(until)).map(([, text]) => text);
  expect(ticks.filter((text) => !/^(06|18)/.test(text))).toEqual(texts);
});

test.each([
  ['2025-11-17T10:00Z', '2025-12-31T23:59Z', '11-17 10:00:00'],
  ['2025-12-31T10:00Z', '2026-01-01T00:00Z', '2025-12-31 10:00:00'],
])('a list with times from %s to %s names the year only where it spans one', (first, last, text) => {
  const times = [first, last].map(Date.parse);
  expect(clockOf(times)(times[0] as number)).toBe(text);
});

test('a span of time is shown as its days', () => {
  const [from = 0, until = 0] = ['2025-11-17T10:00Z', '2025-11-19T09:00Z'].map(Date.parse);
  expect(clockOf([])(from, until).replace(/\s*–\s*/, '–')).toBe('17–19 Nov');
});
