import fc from 'fast-check';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { CALLS, LASTING, runs } from '../setup/world.ts';
import { openFaultHarness, type Plans } from './faultHarness.ts';

/** The number of random failure plans, and their seed. */
const { numRuns, seed } = runs(60, 2000);

const faultHarness = await openFaultHarness();

test(`${numRuns} random failure plans, for keys that the function has in memory and for others`, async () => {
  const attempts = fc.array(fc.option(fc.constantFrom(...LASTING), { nil: undefined, freq: 2 }), {
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
          const from = functions[i % functions.length] as (typeof functions)[number];
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
