import fc from 'fast-check';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../setup/runs.ts';
import { openFaultHarness, type Plans } from './faultHarness.ts';
import { CALLS, FAULTS, type Fault } from './faultProxy.ts';

/** How many random plans of failure are tried. */
const { numRuns, seed } = runs(60, 2000);

let faultHarness: Awaited<ReturnType<typeof openFaultHarness>>;
/** Two functions: where nothing but failures comes back the SDK stops trying again, which is not for the second one. */
let failing: ReturnType<typeof faultHarness.newFunction>;
let trying: ReturnType<typeof faultHarness.newFunction>;
beforeAll(async () => {
  faultHarness = await openFaultHarness();
  failing = faultHarness.newFunction();
  trying = faultHarness.newFunction();
});
afterAll(() => faultHarness.close());

const { rejected: _, ...lasting } = FAULTS;
const faults = Object.keys(lasting) as Exclude<Fault, 'rejected'>[];

/**
 * What must come of failures. On a machine that is busy enough, the function may run out of time where it need not:
 * that alone is worth another try. What may never happen fails at once, inside.
 */
async function expectOutcome(expected: { status: number; stored: number }, plans: Plans, from: typeof trying) {
  const outcomes: (typeof expected)[] = [];
  for (let tries = 0; tries < 4; tries += 1) {
    const { status, stored } = await faultHarness.face(plans, from);
    outcomes.push({ status, stored });
    if (status === expected.status && stored === expected.stored) break;
  }
  expect(outcomes.at(-1)).toEqual(expected);
}

describe.concurrent.each(CALLS)('%s', (call) => {
  test.each(faults)('meets %s at every attempt', async (fault) => {
    const slow = fault === 'a slow answer';
    const stored = slow || (call === 'put entry' && FAULTS[fault].applied) ? 1 : 0;
    await expectOutcome({ status: slow ? 200 : 503, stored }, { [call]: () => fault }, failing);
  });

  test.each(faults)('meets %s once: the function tries again, nobody notices', async (fault) => {
    const plan = (attempt: number) => (attempt === 1 ? fault : undefined);
    await expectOutcome({ status: 200, stored: 1 }, { [call]: plan }, trying);
  });
});

// One after the other: a proxy stops for everybody, so that each is for one function alone.
test.each(CALLS)('%s finds its connection gone, and every new one rejected', async (call) => {
  const own = await openFaultHarness();
  expect(await own.face({ [call]: () => 'rejected' }, own.newFunction())).toMatchObject({ status: 503, stored: 0 });
  own.close();
});

test(`${numRuns} random plans of what fails when, for keys that the function knows and others`, async () => {
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
          return await faultHarness.face(Object.fromEntries(plans) as Plans, from, { warm });
        } catch (error) {
          throw new Error(`Seed ${seed}, ${JSON.stringify({ warm, failures })}`, { cause: error });
        }
      }),
    ),
  );
  // The dice are not loaded: some got through, some did not.
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200, 503]));
  const slowest = Math.max(...outcomes.map(({ milliseconds }) => milliseconds));
  const accepted = outcomes.filter(({ status }) => status === 200).length;
  console.log(`Seed ${seed}: ${accepted} of ${numRuns} accepted, the slowest answer after ${Math.round(slowest)} ms`);
}, 1_800_000);
