import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type SignedRequest, signRequest } from '../../../cli/upload/attempt.ts';
import {
  concernsCaller,
  concernsLogOnly,
  type Delivery,
  deliver,
  failDelivery,
  isFresh,
} from '../../../cli/upload/deliver.ts';
import { type Fault, LOG, skipPauses, type Team, world } from '../../setup/world.ts';

const work = await world().served();
beforeEach(() => skipPauses());

const OLD_MS = 27_001;
const TIMEOUT_MS = 20_000;
const body = '{"code":"1","msg":"busy"}';
const busy = (status: number, wait = '1'): Fault => ({ status, headers: { 'Retry-After': wait }, body });

/** Delivers a log whose first signature is too old to send again after a wait of 1 s. */
async function deliverLate(team: Team, fault: Fault) {
  const delivering = deliverWith(team, [fault], { age: OLD_MS });
  if (fault === 'hang') {
    await expect.poll(work.way.seen).toHaveLength(1);
    vi.advanceTimersByTime(TIMEOUT_MS);
  }
  return delivering;
}

/** Delivers a log through faults. @param age milliseconds since the first signature */
async function deliverWith(
  team: Team,
  faults: readonly Fault[],
  { age = 0, ...means }: { age?: number } & Partial<Parameters<typeof deliver>[0]> = {},
) {
  work.way.plan(...faults);
  const recorded: SignedRequest[] = [];
  const logged: string[] = [];
  const delivery: Delivery = await deliver({
    sign: () => {
      const at = Date.now() - (recorded.length === 0 ? age : 0);
      return signRequest({ ...team, url: work.way.url }, Buffer.from(LOG), at);
    },
    record: (request) => recorded.push(request),
    log: (sentence) => logged.push(sentence),
    timeout: TIMEOUT_MS,
    patience: 60_000,
    finish: new AbortController().signal,
    stop: new AbortController().signal,
    ...means,
  });
  return { delivery, recorded, logged };
}

test('a 429 until the signature is stale: signed again, because nothing is stored, and recorded before it is sent', async () => {
  const team = await work.team();
  const { delivery, recorded, logged } = await deliverLate(team, busy(429));
  expect(delivery).toMatchObject({ outcome: 'stored', attempts: 2 });
  expect(logged).toEqual(['HTTP 429, 1: busy; nothing is stored, signing again in 1 s.']);
  expect(recorded.map(({ timestamp }) => timestamp)).toEqual(
    work.way.seen().map(({ headers }) => headers['access-timestamp']),
  );
  expect((await work.entriesOf(team.uid)).map(({ entryId }) => entryId)).toEqual([recorded[1]?.entryId]);
});

test('a request is fresh until 28 s after it was signed, with the wait', () => {
  const request = { timestamp: String(Date.now() - 20_000) } as SignedRequest;
  expect([8000, 8001].map((wait) => isFresh(request, wait))).toEqual([true, false]);
});

test.each([
  [999, 'rejected', 1],
  [1000, 'stored', 2],
])('with a patience of %i ms, a log that waits for a second is %s', async (patience, outcome, attempts) => {
  const { delivery } = await deliverWith(await work.team(), [busy(429)], { patience });
  expect(delivery).toMatchObject({ outcome, attempts });
});

test('the wait doubles up to 8 s while the service names none', async () => {
  const stop = new AbortController();
  const waits: (string | undefined)[] = [];
  const log = (sentence: string) => {
    waits.push(/in \S+ s/.exec(sentence)?.[0]);
    if (waits.length === 5) stop.abort();
  };
  const faults = [...Array<Fault>(4).fill(busy(429, '0')), { status: 429, body }];
  await expect(deliverWith(await work.team(), faults, { log, stop: stop.signal })).rejects.toThrow('aborted');
  expect(waits).toEqual(['in 0 s', 'in 0 s', 'in 0 s', 'in 0 s', 'in 8 s']);
});

test.each<[string, Fault]>([
  ['a lost answer', 'lose the answer'],
  ['no answer in time', 'hang'],
  ['a 503', busy(503)],
  ['a 500', busy(500)],
])('%s until the signature is stale: never signed again, the outcome is unknown', async (_name, fault) => {
  const { delivery, recorded } = await deliverLate(await work.team(), fault);
  expect(delivery).toMatchObject({ outcome: 'unknown', attempts: 1, request: recorded[0] });
  expect(recorded).toHaveLength(1);
  expect(work.way.seen()).toHaveLength(1);
});

describe('an interruption', () => {
  /** Interrupts a delivery when it waits for its next attempt. */
  async function interrupted(team: Team, fault: Fault, which: 'finish' | 'stop') {
    const interrupt = new AbortController();
    const delivering = deliverWith(team, [fault], { [which]: interrupt.signal, log: () => interrupt.abort() });
    return delivering.then(({ delivery }) => delivery, String);
  }

  test('ends a log that is certainly not stored at once', async () => {
    const team = await work.team();
    expect(await interrupted(team, busy(429), 'finish')).toMatchObject({ outcome: 'rejected', attempts: 1 });
    expect(await interrupted(team, busy(429), 'stop')).toMatch(/^AbortError/);
  });

  test('lets a log that may be stored finish, unless it must stop', async () => {
    const team = await work.team();
    expect(await interrupted(team, busy(503), 'finish')).toMatchObject({ outcome: 'stored', attempts: 2 });
    expect(await interrupted(team, busy(503), 'stop')).toMatch(/^AbortError/);
  });
});

test('a request of an earlier run is sent first and not recorded again; a rejection does not mean that it is not stored', async () => {
  const team = await work.team();
  const resume = signRequest({ ...team, url: work.way.url }, Buffer.from(LOG), Date.now() - 5000);
  const rejection = { status: 400, body: '{"code":"40017","msg":"so"}' };
  const rejected = await deliverWith(team, [rejection], { resume });
  expect([rejected.delivery.outcome, rejected.recorded]).toEqual(['unknown', []]);
  const stored = await deliverWith(team, [], { resume });
  expect([stored.delivery.outcome, stored.recorded]).toEqual(['stored', []]);
  expect(work.way.seen()[0]?.headers['access-timestamp']).toBe(resume.timestamp);
});

const DOCTOR = 'ailog doctor finds the reason.';
const failed = (outcome: Delivery['outcome'], status: number | undefined, { says = 'so', attempts = 1 } = {}) =>
  ({ outcome, attempts, reply: { says, status }, request: { entryId: 'e' } }) as unknown as Delivery;

test.each([
  [400, 'log', undefined],
  [413, 'log', undefined],
  [401, 'caller', DOCTOR],
  [403, 'caller', DOCTOR],
  [404, 'caller', DOCTOR],
  [405, 'caller', DOCTOR],
  [415, 'caller', DOCTOR],
  [429, 'neither', undefined],
  [undefined, 'neither', undefined],
])('a rejection with status %s concerns %s', (status, concerns, advice) => {
  const rejected = failed('rejected', status);
  expect([concernsLogOnly(rejected), concernsCaller(rejected)]).toEqual([concerns === 'log', concerns === 'caller']);
  const failure = { outcome: 'rejected', message: 'a.json was rejected: so.', advice };
  expect(failDelivery('a.json', rejected)).toMatchObject(failure);
});

test('a log that may be stored concerns neither the log nor the caller', () => {
  for (const status of [400, 401]) {
    const unknown = failed('unknown', status);
    expect([concernsLogOnly(unknown), concernsCaller(unknown)]).toEqual([false, false]);
  }
});

test('the number of attempts is named if there were several', () => {
  const message = 'a.json was rejected after 3 attempts: so.';
  expect(failDelivery('a.json', failed('rejected', 429, { attempts: 3 }))).toMatchObject({ message });
});

test('the advice to run the doctor is not given twice', () => {
  const says = 'Usual causes: … "node ailog.mjs doctor" finds the cause';
  expect(failDelivery('a.json', failed('rejected', 401, { says })).advice).toBeUndefined();
});
