import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRequest } from '../../functions/upload/middleware/startRequest.ts';
import type { UploadEvent } from '../../functions/upload/request.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const start = () => {
  const request = { event: {} as UploadEvent } as never as Parameters<
    NonNullable<ReturnType<typeof startRequest>['before']>
  >[0];
  const { before, after } = startRequest({ now: Date.now });
  before?.(request);
  return { event: request.event, succeed: () => after?.(request) };
};

test('calls that are pending after 4.5 s are aborted', () => {
  const { event } = start();
  vi.advanceTimersByTime(4499);
  expect(event.deadline.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(event.deadline.aborted).toBe(true);
});

test('a request that succeeded leaves no timer behind, which would keep its body in memory', () => {
  const { succeed } = start();
  expect(vi.getTimerCount()).toBe(1);
  succeed();
  expect(vi.getTimerCount()).toBe(0);
});
