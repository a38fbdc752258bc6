import { expect, test } from 'vitest';
import { daysOf } from '../../../cli/analysis/period.ts';

const at = (time: string) => ({ placedAt: Date.parse(time) });
const LATER = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['one order', ['2025-11-17T12:00:00Z'], '2025-11-17T00:00:00.000Z', '2025-11-18T00:00:00.000Z'],
  [
    'the limits of a day',
    ['2025-11-17T00:00:00Z', '2025-11-18T23:59:59.999Z'],
    '2025-11-17T00:00:00.000Z',
    '2025-11-19T00:00:00.000Z',
  ],
  [
    'orders in any order',
    ['2025-11-18T01:00:00Z', '2025-11-16T23:00:00Z'],
    '2025-11-16T00:00:00.000Z',
    '2025-11-19T00:00:00.000Z',
  ],
])('the days of %s', (_name, times, from, until) => {
  expect(daysOf(times.map(at), LATER)).toEqual({ from: Date.parse(from), until: Date.parse(until) });
});

test('the last day lasts until now, and holds every order', () => {
  const orders = ['2025-11-17T01:00:00Z', '2025-11-17T12:00:00Z'].map(at);
  const until = (now: string) => daysOf(orders, Date.parse(now))?.until;
  expect(until('2025-11-17T13:00:00Z')).toBe(Date.parse('2025-11-17T13:00:00Z'));
  expect(until('2025-11-17T11:00:00Z')).toBe(Date.parse('2025-11-17T12:00:00.001Z'));
  expect(daysOf([], LATER)).toBeUndefined();
});
