import { describe, expect, test } from 'vitest';
import { CALLS, type Call, type CallFault, FAULTS, LASTING } from '../setup/world.ts';
import { openFaultHarness, type Plans } from './faultHarness.ts';

const faultHarness = await openFaultHarness();
// The SDK of the first function stops retrying, because all its calls fail. That of the second must keep retrying.
const failing = faultHarness.newFunction();
const trying = faultHarness.newFunction();

async function expectOutcome(expected: { status: number; stored: number }, plans: Plans, from: typeof trying) {
  const ended = await faultHarness.sendWithFaults(plans, from, { warm: 'read records' in plans });
  expect(ended).toMatchObject(expected);
}

const HALFWAY = 'a response that stops halfway';

/** Returns every third fault, others for each call. Thorough runs have all of them. */
const someFaults = (call: Call, offset: number) =>
  process.env.THOROUGH ? LASTING : LASTING.filter((_, index) => (index + CALLS.indexOf(call) + offset) % 3 === 0);

async function expectLasting(call: Call, fault: CallFault) {
  const slow = fault === 'a slow response';
  const stored = slow || (call === 'put entry' && FAULTS[fault].applied) ? 1 : 0;
  await expectOutcome({ status: slow ? 200 : 503, stored }, { [call]: () => fault }, failing);
}

const expectOnce = (call: Call, fault: CallFault) =>
  expectOutcome(
    { status: 200, stored: 1 },
    { [call]: (attempt: number) => (attempt === 1 ? fault : undefined) },
    trying,
  );

describe.each(CALLS)('%s', (call) => {
  const atOnce = (fault: CallFault) => fault !== HALFWAY;
  test.each(someFaults(call, 0).filter(atOnce))('%s, at every attempt', (fault) => expectLasting(call, fault));
  test.each(someFaults(call, 1).filter(atOnce))('%s, once: the function retries and the upload succeeds', (fault) =>
    expectOnce(call, fault),
  );
});

// A socket has a clock of its own, so these take their time.
describe.concurrent(HALFWAY, () => {
  const having = (offset: number) => CALLS.filter((call) => someFaults(call, offset).includes(HALFWAY));
  test.each(having(0))('%s, at every attempt', (call) => expectLasting(call, HALFWAY));
  test.each(having(1))('%s, once: the function retries and the upload succeeds', (call) => expectOnce(call, HALFWAY));
});

// One at a time, with a proxy each: this fault stops the proxy for every function behind it.
test.each(CALLS)('%s loses its connection, and new connections are rejected', async (call) => {
  const own = await openFaultHarness();
  const warm = call === 'read records';
  const ended = await own.sendWithFaults({ [call]: () => 'rejected' }, own.newFunction(), { warm });
  expect(ended).toMatchObject({ status: 503, stored: 0 });
});
