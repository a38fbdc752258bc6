import { expect, test } from 'vitest';
import { watchInterruption } from '../../../../cli/shell/terminal/signals.ts';

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
