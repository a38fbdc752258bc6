import { syncBuiltinESMExports } from 'node:module';
import type { TimerOptions } from 'node:timers';
import timers from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Spans of time in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/**
 * The time of tests whose clock is given: in the middle of a minute, an hour and a day, and in the future, so that the
 * engine keeps what expires later.
 */
export const NOW = Date.parse('2031-06-12T12:30:30.500Z');

/** Returns a deadline that never comes: a test that hangs ends at its own, and a busy machine takes its time. */
export const noDeadline = (): AbortSignal => new AbortController().signal;

/** Gives this process a clock that stands still until the test ends, also for commands that ask their engine. */
export function stopClock(now = NOW): void {
  const { parse } = Date;
  vi.useFakeTimers({ toFake: ['Date'], now });
  // A command that reads no time from its engine uses the clock of this process.
  const spy = vi.spyOn(Date, 'parse').mockImplementation((text) => (text.endsWith('GMT') ? Number.NaN : parse(text)));
  onTestFinished(() => {
    spy.mockRestore();
    vi.useRealTimers();
  });
}

/** Gives this process a clock until the test ends: a pause moves it on instead of lasting, and `vi` otherwise. */
export function skipPauses(now = NOW): void {
  const { setTimeout: pause } = timers;
  const skip = <Value>(ms = 0, value?: Value, options?: TimerOptions) => {
    vi.advanceTimersByTime(ms);
    return pause(0, value, options);
  };
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now });
  timers.setTimeout = skip as typeof pause;
  syncBuiltinESMExports();
  onTestFinished(() => {
    timers.setTimeout = pause;
    syncBuiltinESMExports();
    vi.useRealTimers();
  });
}
