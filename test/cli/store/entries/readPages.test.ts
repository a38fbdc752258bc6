import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../../cli/store/entries/readPages.ts';

const throttling = () => Object.assign(new Error('slow down'), { name: 'ProvisionedThroughputExceededException' });

/** Runs reads and returns the greatest number of them at the same time. The first `throttled` of them fail. */
async function mostOf(pace: ReturnType<typeof createPace>, reads: number, throttled = 0): Promise<number> {
  let [running, most, failures] = [0, 0, throttled];
  const read = async () => {
    running += 1;
    most = Math.max(most, running);
    await nextTurn();
    running -= 1;
    failures -= 1;
    if (failures >= 0) throw throttling();
  };
  await Promise.all(Array.from({ length: reads }, () => pace(read)));
  return most;
}

test('a throttled read halves the number of reads at the same time, and steady reads raise it again', async () => {
  const pace = createPace(8);
  expect(await mostOf(pace, 8)).toBe(8);
  await mostOf(pace, 1, 2);
  expect(await mostOf(pace, 8)).toBe(2);
  expect(await mostOf(pace, 200)).toBe(8);
});

test('a read that is throttled again and again fails in the end, another error at once', async () => {
  const pace = createPace(8, 1);
  const attemptsUntil = async (error: Error) => {
    let attempts = 0;
    const read = async () => {
      attempts += 1;
      throw error;
    };
    await expect(pace(read)).rejects.toBe(error);
    return attempts;
  };
  expect(await attemptsUntil(throttling())).toBe(9);
  expect(await attemptsUntil(new Error('no such table'))).toBe(1);
});
