import { hasLogNear, type ReviewedOrder } from './coverage.ts';

/** The limits that decide whether a log came in time, in milliseconds. */
export interface DelayLimits {
  /** A log that was signed later than this after its order is late. */
  readonly within: number;
  /** The difference between two clocks that is accepted. A log that precedes its order by more is early. */
  readonly tolerance: number;
}

/** The delays of a team's logged orders. Orders without a log of the team do not count. */
export interface DelaySummary {
  /** The median and the 95th percentile (nearest rank), in milliseconds. Absent if no order is logged. */
  readonly median?: number;
  readonly p95?: number;
  readonly late: number;
  readonly early: number;
}

/**
 * Returns the time from an order to the signature of its earliest log, in milliseconds. It is negative if the log came
 * first, and undefined if no log of the team names the order.
 */
export const delayOf = ({ order, log }: ReviewedOrder): number | undefined => log && log.signedAt - order.placedAt;

/**
 * Returns the timing of an order: that of its earliest log. If no log of the team names the order: `not named` if the
 * team signed any log within the limit before or after it, else `no log`.
 */
export function timingOf(order: ReviewedOrder, { within, tolerance }: DelayLimits) {
  const delay = delayOf(order);
  if (delay === undefined) return hasLogNear(order, within) ? 'not named' : 'no log';
  if (delay > within) return 'late';
  return delay < -tolerance ? 'early' : 'in time';
}

/** Returns the value at a share of sorted values, by nearest rank. There is at least one value. */
const percentile = (sorted: readonly number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1] as number;

/** Summarizes the delays of a team's orders. */
export function measureDelays(orders: readonly ReviewedOrder[], limits: DelayLimits): DelaySummary {
  const delays = orders
    .map(delayOf)
    .filter((delay) => delay !== undefined)
    .sort((a, b) => a - b);
  const timings = orders.map((order) => timingOf(order, limits));
  return {
    ...(delays.length > 0 && { median: percentile(delays, 0.5), p95: percentile(delays, 0.95) }),
    late: timings.filter((timing) => timing === 'late').length,
    early: timings.filter((timing) => timing === 'early').length,
  };
}
