import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.ts';

/**
 * Joins signals, and a `TimeoutError` after ms. On Node.js 20, garbage collection can take AbortSignal.any and .timeout
 * before they fire. @returns `release` must be called when the signal is no longer needed
 */
export function joinSignals(signals: readonly AbortSignal[], timeout?: number) {
  const controller = new AbortController();
  const follow = ({ target }: { target: unknown }) => controller.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', follow, { once: true });
  }
  const expire = () => controller.abort(new DOMException(`No answer within ${timeout} ms.`, 'TimeoutError'));
  const timer = timeout === undefined ? undefined : setTimeout(expire, timeout);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', follow);
    },
  };
}

/** Lets other work have its turn. @param ms by default one turn @throws Failure after an interruption */
export async function pause(signal: AbortSignal, ms?: number): Promise<void> {
  await (ms === undefined ? setImmediate() : sleep(ms, undefined, { signal }).catch(() => {}));
  if (signal.aborted) throw new Failure('interrupted', 'Interrupted.');
}

/** Runs a step that Ctrl-C must not cut in half: it waits a moment for its end. @param advice if that does not come */
export type Uninterrupted = <Result>(advice: string, step: () => Promise<Result>) => Promise<Result>;

/** The time that an interruption waits for the end of a step, in milliseconds. */
const PATIENCE_MS = 2000;

/** Watches for the user's interruption. @returns `stop` rejects after it; `uninterrupted`: see `Uninterrupted` */
export function watchInterruption(signal: AbortSignal) {
  let last: { readonly advice: string; readonly end: Promise<unknown> } | undefined;
  const uninterrupted: Uninterrupted = async (advice, step) => {
    if (signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    const end = step();
    last = { advice, end };
    return end;
  };
  const stop = (async (): Promise<never> => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const { advice, end } = last ?? {};
    const ended = end && Promise.allSettled([end]).then(() => true);
    if (ended && !(await Promise.race([ended, sleep(PATIENCE_MS, false)]))) {
      throw new Failure('interrupted', 'Interrupted while a change was written. It may have been applied.', { advice });
    }
    throw new Failure('interrupted', 'Interrupted.');
  })();
  // The rejection may come before anything awaits the promise; it must not count as unhandled.
  stop.catch(() => {});
  return { stop, uninterrupted };
}
