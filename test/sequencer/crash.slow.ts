import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FatalError } from '../../functions/sequencer/fatalError.ts';
import { headTable } from '../../functions/tlog/head.ts';
import { openFaultyDatabase } from '../setup/faults.ts';
import { openFixture } from '../setup/fixture.ts';
import { HOUR_MS } from '../setup/time.ts';
import { type Intercept, Killed, killAt, randomFrom, withIntercept } from './intercept.ts';
import { LAG_MS, type LogFixture, openLogFixture } from './logFixture.ts';

/** The distance between the steps at which runs are killed. It is odd, so that both calls and their answers are hit. */
const STRIDE = process.env.THOROUGH ? 1 : 7;

const open = async () => openLogFixture(await openFixture());

/** Runs a sequencer that is killed at a step. @returns false if the run had fewer steps */
async function runKilled(log: LogFixture, step: number): Promise<boolean> {
  const plan = killAt(step);
  await log.run(withIntercept(log.options, plan.intercept)).catch(orKilled);
  return plan.killed();
}

/** Lets a crash pass, and everything else fail the test. */
const orKilled = (error: unknown) => {
  if (!(error instanceof Killed)) throw error;
};

test('a run with new entries is killed before and after its calls: the next run finishes it', async () => {
  const log = await open();
  await log.run();
  let step = 1 - STRIDE;
  for (let killed = true; killed; ) {
    step += STRIDE;
    await log.upload(2);
    log.clock.advance(LAG_MS + 1);
    killed = await runKilled(log, step);
    expect(await log.run()).toMatchObject({ superseded: false });
    expect(log.missing()).toEqual([]);
  }
  expect(step).toBeGreaterThan(25);
  await log.expectWhole();
});

/** Lets the entries of the first minute appear in the index when their hour is due to be looked for again. */
async function openForLook() {
  const log = await open();
  await log.run();
  const appear = await Promise.all(Array.from({ length: 6 }, () => log.uploadLate()));
  log.clock.advance(HOUR_MS);
  await log.run();
  log.clock.advance(48 * HOUR_MS);
  for (const one of appear) await one();
  return log;
}

test('a second look is killed before and after its calls: the next run finishes it, and adds nothing twice', async () => {
  const log = await openForLook();
  let step = 1 - STRIDE;
  for (let killed = true; killed; log.clock.advance(HOUR_MS)) {
    step += STRIDE;
    await log.upload(1);
    killed = await runKilled(log, step);
    expect(await log.run()).toMatchObject({ superseded: false });
  }
  expect(step).toBeGreaterThan(20);
  log.clock.advance(HOUR_MS);
  await log.run();
  await log.expectWhole();
});

test('three sequencers race through a second look: nothing is added twice', async () => {
  const log = await openForLook();
  const random = randomFrom(5);
  const dawdle: Intercept = () => sleep(random() < 0.2 ? random() * 4 : 0);
  const dependencies = withIntercept(log.options, dawdle);
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([log.run(dependencies), log.run(dependencies), log.run(dependencies)]);
    log.clock.advance(HOUR_MS);
  }
  await log.run();
  await log.expectWhole();
});

test('killed before and after the calls of the very first run', async () => {
  const fixture = await openFixture();
  for (let step = 1, killed = true; killed; step += STRIDE) {
    const log = await openLogFixture(fixture, { fresh: true });
    killed = await runKilled(log, step);
    expect(await log.run()).toMatchObject({ superseded: false, size: 3 });
    await log.expectWhole({ complete: false });
  }
});

describe('several sequencers at once', () => {
  test.each([2, 3])('%i of them, each as slow as it likes: one wins, nothing is logged twice', async (count) => {
    const log = await open();
    const random = randomFrom(count);
    const dawdle: Intercept = () => sleep(random() < 0.2 ? random() * 8 : 0);
    for (let round = 0; round < 8; round += 1) {
      await log.upload(3);
      log.clock.advance(LAG_MS + 1);
      const runs = Array.from({ length: count }, () => log.run(withIntercept(log.options, dawdle)));
      for (const { superseded, appended } of await Promise.all(runs)) expect(superseded && appended > 0).toBe(false);
    }
    await log.run();
    await log.expectWhole();
  });

  test('one that loses its claim has signed nothing, and stored nothing but its staged batch', async () => {
    const log = await open();
    await log.run();
    const before = log.files();
    await log.upload(3);
    log.clock.advance(LAG_MS + 1);
    const calls: string[] = [];
    const heads = { ...log.options.heads, claim: async () => false };
    const loser = withIntercept({ ...log.options, heads }, (call) => void calls.push(call));
    expect(await log.run(loser)).toMatchObject({ superseded: true, appended: 0 });
    expect(calls).not.toContain('signer.sign');
    const stored = [...log.files().keys()].filter((path) => !before.has(path));
    expect(stored).toEqual([expect.stringMatching(/^staging\/3-6-/)]);
  });

  test('one whose checkpoint another has replaced meanwhile ends without an error', async () => {
    const log = await open();
    await log.run();
    await log.upload(3);
    log.clock.advance(LAG_MS + 1);
    const storage = { ...log.options.storage, replace: async () => false };
    expect(await log.run({ storage })).toMatchObject({ superseded: true, appended: 0 });
    expect(await log.run()).toMatchObject({ superseded: false, size: 6 });
    await log.expectWhole();
  });

  test('three of them that are also killed at random, with entries that appear late', async () => {
    const log = await open();
    await log.run();
    const random = randomFrom(7);
    const late: (() => Promise<void>)[] = [];
    let deaths = 0;
    for (let round = 0; round < 20; round += 1) {
      await log.upload(1 + Math.floor(random() * 4));
      if (random() < 0.2) late.push(await log.uploadLate());
      log.clock.advance(LAG_MS + 1);
      if (random() < 0.3) await late.pop()?.();
      const runs = Array.from({ length: 3 }, () => {
        const plan = killAt(1 + Math.floor(random() * 40));
        const intercept = async () => {
          await sleep(random() < 0.1 ? random() * 5 : 0);
          plan.intercept();
        };
        return log.run(withIntercept(log.options, intercept)).catch((error) => {
          orKilled(error);
          deaths += 1;
        });
      });
      await Promise.all(runs);
    }
    for (const appear of late) await appear();
    log.clock.advance(LAG_MS);
    await log.run();
    expect(deaths).toBeGreaterThan(20);
    await log.expectWhole();
  });
});

test('a claim whose answer is lost is recognized when it is sent again', async () => {
  const fixture = await openFixture();
  const log = await openLogFixture(fixture);
  await log.run();
  const { proxy, db } = await openFaultyDatabase(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
  const heads = headTable(db, fixture.names.tlog);
  await log.upload(3);
  log.clock.advance(LAG_MS + 1);
  proxy.plan('pass', 'lose the answer');
  expect(await log.run({ heads })).toMatchObject({ appended: 3, superseded: false, size: 6 });
  // The head was read, written, and the write was sent again.
  expect(proxy.seen()).toHaveLength(3);
  await log.expectWhole();
  proxy.close();
});

test('a storage that is throttled and loses answers: runs fail, and the log is whole once it is well', async () => {
  const log = await open();
  await log.run();
  const random = randomFrom(3);
  let failures = 0;
  const throttle: Intercept = (call) => {
    if (!call.startsWith('storage.') || random() > 0.06) return;
    throw new Killed('SlowDown');
  };
  for (let round = 0; round < 20; round += 1) {
    await log.upload(3);
    log.clock.advance(LAG_MS + 1);
    await log.run(withIntercept(log.options, throttle)).catch((error) => {
      orKilled(error);
      failures += 1;
    });
  }
  expect(failures).toBeGreaterThan(5);
  expect(await log.run()).toMatchObject({ superseded: false });
  await log.expectWhole();
});

describe('a clock', () => {
  test('that is set ten minutes forward and back: the log stops, and goes on with every entry when the time has come', async () => {
    const log = await open();
    await log.run();
    await log.upload(1);
    log.clock.advance(10 * 60_000);
    await log.run();
    log.clock.advance(-8 * 60_000);
    await log.upload(2);
    await expect(log.run()).rejects.toMatchObject({ condition: 'clock-moved-back' });
    log.clock.advance(9 * 60_000);
    expect(await log.run()).toMatchObject({ appended: 0, late: 2 });
    await log.expectWhole();
  });

  test('that is set a day forward and back: the second look finds what was uploaded meanwhile', async () => {
    const log = await open();
    await log.run();
    log.clock.advance(24 * HOUR_MS);
    await log.run();
    log.clock.advance(-23 * HOUR_MS);
    await log.upload(2);
    await expect(log.run()).rejects.toMatchObject({ condition: 'clock-moved-back' });
    log.clock.advance(51 * HOUR_MS);
    expect(await log.run()).toMatchObject({ appended: 0, found: 2 });
    await log.expectWhole();
  });

  test('that differs by five seconds from another machine’s changes nothing', async () => {
    const log = await open();
    await log.run();
    await log.upload(1);
    log.clock.advance(LAG_MS + 5001);
    await log.run();
    const { writtenAt } = await log.head();
    log.clock.advance(-5000);
    await log.upload(1, { receivedAt: log.clock.now() });
    expect(await log.run()).toMatchObject({ appended: 0 });
    log.clock.advance(-1);
    await expect(log.run()).rejects.toBeInstanceOf(FatalError);
    log.clock.advance(LAG_MS + 5002);
    expect(await log.run()).toMatchObject({ appended: 1 });
    expect((await log.head()).writtenAt).toBeGreaterThan(writtenAt);
    await log.expectWhole();
  });
});
