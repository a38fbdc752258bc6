import fc from 'fast-check';
import pLimit from 'p-limit';
import { afterAll, describe, expect, test } from 'vitest';
import { runs } from '../setup/runs.ts';
import { openFaultHarness, type Plans } from './faultHarness.ts';
import { CALLS, FAULTS, type Fault } from './faultProxy.ts';

/** The number of random failure plans, and their seed. */
const { numRuns, seed } = runs(60, 2000);

const faultHarness = await openFaultHarness();
// The SDK of the first function stops retrying, because all its calls fail. That of the second must keep retrying.
const failing = faultHarness.newFunction();
const trying = faultHarness.newFunction();
afterAll(() => faultHarness.close());

const { rejected: _, ...lasting } = FAULTS;
const faults = Object.keys(lasting) as Exclude<Fault, 'rejected'>[];

/**
 * Expects an outcome. On a busy machine, the function may run out of time without a fault, so the upload is repeated a
 * few times. A violated invariant fails immediately, inside `sendWithFaults`.
 */
async function expectOutcome(expected: { status: number; stored: number }, plans: Plans, from: typeof trying) {
  const outcomes: (typeof expected)[] = [];
  for (let tries = 0; tries < 4; tries += 1) {
    const warm = 'read records' in plans;
    const { status, stored } = await faultHarness.sendWithFaults(plans, from, { warm });
    outcomes.push({ status, stored });
    if (status === expected.status && stored === expected.stored) break;
  }
  expect(outcomes.at(-1)).toEqual(expected);
}

/** Returns every third fault, others for each call. Thorough runs have all of them. */
const someFaults = (call: (typeof CALLS)[number], offset: number) =>
  process.env.THOROUGH ? faults : faults.filter((_, index) => (index + CALLS.indexOf(call) + offset) % 3 === 0);

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
  own.close();
});

test(`${numRuns} random failure plans, for keys that the function has in memory and for others`, async () => {
  const attempts = fc.array(fc.option(fc.constantFrom(...faults), { nil: undefined, freq: 2 }), {
    minLength: 3,
    maxLength: 3,
  });
  const plan = fc.record({
    warm: fc.boolean(),
    failures: fc.dictionary(fc.constantFrom(...CALLS), attempts, { noNullPrototype: true }),
  });
  const functions = Array.from({ length: 4 }, () => faultHarness.newFunction());
  const limit = pLimit(20);
  const outcomes = await Promise.all(
    fc.sample(plan, { numRuns, seed }).map(({ warm, failures }, i) =>
      limit(async () => {
        const plans = Object.entries(failures).map(([call, met]) => [call, (attempt: number) => met[attempt - 1]]);
        try {
          const from = functions[i % functions.length] as typeof trying;
          return await faultHarness.sendWithFaults(Object.fromEntries(plans) as Plans, from, { warm });
        } catch (error) {
          throw new Error(`Seed ${seed}, ${JSON.stringify({ warm, failures })}`, { cause: error });
        }
      }),
    ),
  );
  // The sample covers both outcomes.
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200, 503]));
  const slowest = Math.max(...outcomes.map(({ milliseconds }) => milliseconds));
  const accepted = outcomes.filter(({ status }) => status === 200).length;
  console.log(`Seed ${seed}: ${accepted} of ${numRuns} accepted, the slowest response after ${Math.round(slowest)} ms`);
}, 1_800_000);
