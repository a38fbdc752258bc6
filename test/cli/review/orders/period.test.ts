import { expect, test } from 'vitest';
import { daysOf } from '../../../../cli/review/orders/importOrders.ts';

const at = (time: string) => Date.parse(time);

test('the days from the first to the last order, in UTC', () => {
  const days = daysOf({ first: at('2025-11-17T00:00:00Z'), last: at('2025-11-18T23:59:59.999Z') }, at('2026-01-01'));
  expect(days).toEqual({ from: at('2025-11-17'), until: at('2025-11-19') });
  const midnight = at('2025-11-18');
  expect(daysOf({ first: midnight, last: midnight }, at('2026-01-01'))).toEqual({
    from: midnight,
    until: at('2025-11-19'),
  });
});

test('the last day lasts until now, and holds every order', () => {
  const orders = { first: at('2025-11-17T01:00:00Z'), last: at('2025-11-17T12:00:00Z') };
  const until = (now: string) => daysOf(orders, at(now)).until;
  expect(until('2025-11-17T13:00:00Z')).toBe(at('2025-11-17T13:00:00Z'));
  expect(until('2025-11-17T11:00:00Z')).toBe(at('2025-11-17T12:00:00.001Z'));
});
