import type { Middleware } from '../request.ts';

/** Wraps a middleware so that it records its duration in `event.middlewareMs` under its name, in milliseconds. */
export const timed = (name: string, { before }: Middleware): Middleware => ({
  before: async (request) => {
    const start = performance.now();
    try {
      await before?.(request);
    } finally {
      request.event.middlewareMs[name] = Math.round((performance.now() - start) * 100) / 100;
    }
  },
});
