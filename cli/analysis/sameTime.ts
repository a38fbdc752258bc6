/**
 * The difference between two times of receipt up to which nobody can say which of two teams was first, in milliseconds.
 * An upload that is resent after a timeout arrives up to 30 s later, and two logs about one event are written within
 * seconds.
 */
const SAME_TIME_MS = 60_000;

/**
 * Returns true if two logs arrived at the same time, as far as a report says. The times are in milliseconds since 1970.
 */
export const isSameTime = (receivedAt: number, other: number): boolean => Math.abs(receivedAt - other) <= SAME_TIME_MS;
