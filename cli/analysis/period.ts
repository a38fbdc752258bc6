/** A span of time: from its first millisecond up to, but not including, its last. In milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** Returns true if a time is within a period. */
export const isWithin = (at: number, { from, until }: Period): boolean => at >= from && at < until;
