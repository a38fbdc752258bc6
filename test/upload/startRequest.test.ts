import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRequest } from '../../functions/upload/middleware/around.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const start = () => {
  const { before, after } = startRequest({ now: Date.now });
  const request = { event: {} } as Parameters<NonNullable<typeof before>>[0];
  before?.(request);
  return { event: request.event, succeed: () => after?.(request) };
};

test('calls that are pending after 4.5 s are aborted', () => {
  const { event } = start();
  vi.advanceTimersByTime(4499);
  expect(event.deadline?.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(event.deadline?.aborted).toBe(true);
});

test('a request that succeeded leaves no timer behind, which would keep its body in memory', () => {
  const { succeed } = start();
  expect(vi.getTimerCount()).toBe(1);
  succeed();
  expect(vi.getTimerCount()).toBe(0);
});
