/** Spans of time in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** Returns a deadline that never comes: a test that hangs ends at its own, and a busy machine takes its time. */
export const noDeadline = (): AbortSignal => new AbortController().signal;
