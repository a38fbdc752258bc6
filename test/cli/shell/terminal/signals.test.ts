import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { joinSignals, watchInterruption } from '../../../../cli/shell/terminal/signals.ts';

afterEach(() => void vi.useRealTimers());

test('an interruption waits for the end of a step, and no further step starts', async () => {
  const interrupt = new AbortController();
  const { stop, uninterrupted } = watchInterruption(interrupt.signal);
  const steps: string[] = [];
  const step = uninterrupted('advice', async () => {
    interrupt.abort();
    await new Promise((resolve) => setTimeout(resolve, 50));
    steps.push('first');
  });
  await expect(stop).rejects.toMatchObject({ outcome: 'interrupted', message: 'Interrupted.' });
  expect(steps).toEqual(['first']);
  await step;
  const second = uninterrupted('advice', async () => steps.push('second'));
  await expect(second).rejects.toMatchObject({ outcome: 'interrupted' });
  expect(steps).toEqual(['first']);
});

test('joined signals end with the first of them or with their time, and leave nothing behind', () => {
  vi.useFakeTimers();
  const controllers = [new AbortController(), new AbortController()] as const;
  const signals = controllers.map(({ signal }) => signal);
  const join = () => joinSignals(signals, 1000);
  const listeners = () => signals.map((signal) => getEventListeners(signal, 'abort').length);
  const [timed, released] = [join(), join()];
  expect([listeners(), vi.getTimerCount()]).toEqual([[2, 2], 2]);
  released.release();
  expect([listeners(), vi.getTimerCount()]).toEqual([[1, 1], 1]);
  vi.advanceTimersByTime(999);
  expect(timed.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(timed.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'No answer within 1000 ms.' });
  timed.release();
  const ended = join();
  controllers[1].abort('enough');
  expect([ended.signal.reason, join().signal.reason, released.signal.aborted]).toEqual(['enough', 'enough', false]);
});
