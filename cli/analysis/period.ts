import type { Order } from './order.ts';

/** A span of time: from its first millisecond up to, but not including, its last. In milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** Returns true if a time is within a period. */
export const isWithin = (at: number, { from, until }: Period): boolean => at >= from && at < until;

const DAY_MS = 86_400_000;

/**
 * Returns the days (UTC) of orders as a period; undefined without orders. A last day that has not ended lasts until
 * now, so that nobody is silent in the future.
 * @param now milliseconds since 1970
 */
export function daysOf(orders: readonly Pick<Order, 'placedAt'>[], now: number): Period | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { placedAt } of orders) [first, last] = [Math.min(first, placedAt), Math.max(last, placedAt)];
  if (first > last) return undefined;
  const end = (Math.floor(last / DAY_MS) + 1) * DAY_MS;
  return { from: Math.floor(first / DAY_MS) * DAY_MS, until: Math.max(last + 1, Math.min(end, now)) };
}
