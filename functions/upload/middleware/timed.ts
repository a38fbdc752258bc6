import type { Middleware } from '../request.ts';

/** Returns a middleware that also records how long it took, in `event.middlewareMs` under its name. */
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
