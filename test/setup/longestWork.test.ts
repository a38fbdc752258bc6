import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { longestWork } from './longestWork.ts';

const running = () => process.getActiveResourcesInfo().filter((name) => name === 'Immediate');

test('after a measurement, nothing goes on, and no test that follows shares its core', async () => {
  await longestWork(() => sleep(1));
  await expect(longestWork(() => Promise.reject(new Error('no work')))).rejects.toThrow('no work');
  // Other work of this process may have one now and then; a measurement that goes on has one at all times.
  await expect.poll(running).toEqual([]);
});
