import { expect, test } from 'vitest';
import { concurrently } from '../../functions/sequencer/concurrently.ts';

test('work runs at most a number at a time, and its results keep the order', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < 10 - item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 2;
  };
  expect(await concurrently([0, 1, 2, 3, 4, 5], 3, work)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(most).toBe(3);
});

test('after an error, no further work starts', async () => {
  const started: number[] = [];
  const work = async (item: number) => {
    started.push(item);
    await Promise.resolve();
    throw new Error(`item ${item}`);
  };
  await expect(concurrently([0, 1, 2, 3, 4], 2, work)).rejects.toThrow('item 0');
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1]);
});
