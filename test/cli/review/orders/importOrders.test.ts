import { expect, test } from 'vitest';
import { DAY_MS, daysOf } from '../../../../cli/review/orders/importOrders.ts';

// biome-ignore format: one case a line
test.each<[string, [first: number, last: number, now: number], [from: number, until: number]]>([
  ['whole days', [1.5, 3.5, 9], [1, 4]],
  ['a day of one order at its start', [2, 2, 9], [2, 3]],
  ['a day that has not ended, until now', [1.5, 3.5, 3.75], [1, 3.75]],
])('orders are of %s', (_what, times, period) => {
  const [first, last, now] = times.map((days) => days * DAY_MS) as [number, number, number];
  const [from, until] = period.map((days) => days * DAY_MS);
  expect(daysOf({ first, last }, now)).toEqual({ from, until });
});

test('orders of the future are in the period', () => {
  expect(daysOf({ first: 5, last: 7 }, 6)).toEqual({ from: 0, until: 8 });
});
