import type { RunOptions } from '../../functions/sequencer/run.ts';

/** Where a call of the sequencer is: about to leave, or answered. */
type Phase = 'before' | 'after';

/**
 * Is told of every call, and may wait or throw: before it, so that it never leaves, or after it, so that its answer is
 * lost.
 */
export type Intercept = (call: string, phase: Phase) => void | Promise<void>;

/** An object whose every call goes through an interceptor. */
const intercepted = <Service extends object>(name: string, service: Service, intercept: Intercept): Service =>
  new Proxy(service, {
    get: (target, method) => {
      const value = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      return async (...parameters: unknown[]) => {
        const call = `${name}.${String(method)}`;
        await intercept(call, 'before');
        const result = await value.apply(target, parameters);
        await intercept(call, 'after');
        return result;
      };
    },
  });

/** Options of which every call to storage, tables and keys goes through an interceptor. */
export function withIntercept(options: RunOptions, intercept: Intercept): RunOptions {
  const { storage, heads, arrivals, receiptKeys, signers } = options;
  return {
    ...options,
    storage: intercepted('storage', storage, intercept),
    heads: intercepted('heads', heads, intercept),
    arrivals: intercepted('arrivals', arrivals, intercept),
    receiptKeys: intercepted('receiptKeys', receiptKeys, intercept),
    signers: async (signal) => (await signers(signal)).map((signer) => intercepted('signer', signer, intercept)),
  };
}

/** The error that ends a sequencer in the middle. */
export class Killed extends Error {}

/** Lets a crash pass, and everything else fail the test. */
export const orKilled = (error: unknown) => {
  if (!(error instanceof Killed)) throw error;
};

/**
 * Kills a sequencer at its nth step, counted over all calls before and after; from then on nothing leaves it any more.
 */
export function killAt(step: number) {
  let steps = 0;
  return {
    intercept: () => {
      steps += 1;
      if (steps >= step) throw new Killed(`at step ${steps}`);
    },
    /** Whether it came to that. */
    killed: () => steps >= step,
  };
}

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
