import type { Middleware } from '../request.ts';

/** How long a request may take before the calls that it still waits for are aborted, in milliseconds. */
const DEADLINE_MS = 4500;

/** Starts the request's clock and deadline. Registered before every other middleware. */
export const startRequest = ({ now }: { now: () => number }): Middleware => ({
  before: ({ event }) => {
    event.receivedAt = now();
    event.deadline = AbortSignal.timeout(DEADLINE_MS);
    event.middlewareMs = {};
    event.responseHeaders = {};
  },
});
