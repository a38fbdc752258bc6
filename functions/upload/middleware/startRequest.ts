import type { Middleware } from '../request.ts';

/** The time after which a request's pending calls are aborted, in milliseconds. */
const DEADLINE_MS = 4500;

/** Starts the request's clock and deadline. It is registered before every other middleware. */
export const startRequest = ({ now }: { now: () => number }): Middleware => ({
  before: ({ event }) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), DEADLINE_MS).unref();
    event.receivedAt = now();
    event.deadline = deadline.signal;
    event.endDeadline = () => clearTimeout(timer);
    event.middlewareMs = {};
    event.responseHeaders = {};
  },
  // No call is pending after a success. Without this, the timer would keep the request in memory until it fires.
  after: ({ event }) => event.endDeadline(),
});
