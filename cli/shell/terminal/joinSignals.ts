/**
 * Creates a signal that is aborted with any of several signals, or after a time with a `TimeoutError`. Until it is
 * released, its timer keeps the process running. AbortSignal.any and AbortSignal.timeout do not: on Node.js 20 the
 * garbage collector can take them before they fire, and then nothing ends the wait.
 * @param timeout milliseconds; without it, there is no time limit
 * @returns the signal, and `release`, which must be called when it is no longer needed
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
