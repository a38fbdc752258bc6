import type { Middleware } from '../request.ts';

/** The time after which a request's pending calls are aborted, in milliseconds. */
const DEADLINE_MS = 4500;

/** Starts the request's clock and deadline. It is registered before every other middleware. */
export const startRequest = ({ now }: { now: () => number }): Middleware => ({
  before: ({ event }) => {
    event.receivedAt = now();
    event.deadline = AbortSignal.timeout(DEADLINE_MS);
    event.middlewareMs = {};
    event.responseHeaders = {};
  },
});
