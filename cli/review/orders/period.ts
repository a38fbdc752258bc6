/** A span of time: from its first millisecond up to, but not including, its last. In milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the days (UTC) of orders as a period. A last day that has not ended lasts until now, so that nobody is silent
 * in the future.
 * @param now milliseconds since 1970
 */
export function daysOf({ first, last }: { first: number; last: number }, now: number): Period {
  const end = (Math.floor(last / DAY_MS) + 1) * DAY_MS;
  return { from: Math.floor(first / DAY_MS) * DAY_MS, until: Math.max(last + 1, Math.min(end, now)) };
}
