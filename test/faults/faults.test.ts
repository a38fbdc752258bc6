import { describe, expect, test } from 'vitest';
import { CALLS, FAULTS, LASTING } from '../setup/world.ts';
import { openFaultHarness, type Plans } from './faultHarness.ts';

const faultHarness = await openFaultHarness();
// The SDK of the first function stops retrying, because all its calls fail. That of the second must keep retrying.
const failing = faultHarness.newFunction();
const trying = faultHarness.newFunction();

/**
 * Expects an outcome. On a busy machine, the function may run out of time without a fault, so the upload is repeated a
 * few times, which is said. A violated invariant fails immediately, inside `sendWithFaults`.
 */
async function expectOutcome(expected: { status: number; stored: number }, plans: Plans, from: typeof trying) {
  const warm = 'read records' in plans;
  for (let tries = 1; ; tries += 1) {
    const { status, stored } = await faultHarness.sendWithFaults(plans, from, { warm });
    const isExpected = status === expected.status && stored === expected.stored;
    if (isExpected || tries === 4) return expect({ status, stored }).toEqual(expected);
    console.warn(`Tried again: ${status}, stored ${stored}.`);
  }
}

/** Returns every third fault, others for each call. Thorough runs have all of them. */
const someFaults = (call: (typeof CALLS)[number], offset: number) =>
  process.env.THOROUGH ? LASTING : LASTING.filter((_, index) => (index + CALLS.indexOf(call) + offset) % 3 === 0);

describe.concurrent.each(CALLS)('%s', (call) => {
  test.each(someFaults(call, 0))('%s, at every attempt', async (fault) => {
    const slow = fault === 'a slow response';
    const stored = slow || (call === 'put entry' && FAULTS[fault].applied) ? 1 : 0;
    await expectOutcome({ status: slow ? 200 : 503, stored }, { [call]: () => fault }, failing);
  });

  test.each(someFaults(call, 1))('%s, once: the function retries and the upload succeeds', async (fault) => {
    const plan = (attempt: number) => (attempt === 1 ? fault : undefined);
    await expectOutcome({ status: 200, stored: 1 }, { [call]: plan }, trying);
  });
});

// One at a time, with a proxy each: this fault stops the proxy for every function behind it.
test.each(CALLS)('%s loses its connection, and new connections are rejected', async (call) => {
  const own = await openFaultHarness();
  const warm = call === 'read records';
  const ended = await own.sendWithFaults({ [call]: () => 'rejected' }, own.newFunction(), { warm });
  expect(ended).toMatchObject({ status: 503, stored: 0 });
});
