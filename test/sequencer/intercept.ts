/** Where a call of the sequencer is: about to leave, or answered. */
type Phase = 'before' | 'after';

/**
 * Is told of every call, and may wait or throw: before it, so that it never leaves, or after it, so that its answer is
 * lost.
 */
export type Intercept = (call: string, phase: Phase, path: unknown) => void | Promise<void>;

/** An object whose every call goes through an interceptor. */
export const intercepted = <Service extends object>(name: string, service: Service, intercept: Intercept): Service =>
  new Proxy(service, {
    get: (target, method) => {
      const value = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      return async (...parameters: unknown[]) => {
        const call = `${name}.${String(method)}`;
        await intercept(call, 'before', parameters[0]);
        const result = await value.apply(target, parameters);
        await intercept(call, 'after', parameters[0]);
        return result;
      };
    },
  });

/** The error that ends a sequencer in the middle. */
export class Killed extends Error {}

/** Random numbers from 0 to 1 that are the same in every run. Source: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
