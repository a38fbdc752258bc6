import { setTimeout as sleep } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { FatalError } from '../../functions/sequencer/fatalError.ts';
import { headTable } from '../../functions/tlog/head.ts';
import { openFaultyDatabase } from '../setup/faults.ts';
import { openFixture } from '../setup/fixture.ts';
import { HOUR_MS, MINUTE_MS } from '../setup/time.ts';
import { openBucket } from './bucketFiles.ts';
import type { Fault } from './cloud.ts';
import { type Intercept, Killed, killAt, orKilled, randomFrom } from './intercept.ts';
import { afterFirstRun, LAG_MS, type LogFixture, openLogFixture } from './logFixture.ts';

/** The distance between the steps at which runs are killed. It is odd, so that both calls and their answers are hit. */
const STRIDE = process.env.THOROUGH ? 1 : 7;

type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** Opens a log with its files in a folder. @param fixture a fixture whose earlier log is forgotten */
const open = async (fixture?: Fixture): Promise<LogFixture> =>
  openLogFixture(fixture ?? (await openFixture()), { fresh: fixture !== undefined });

/** As `open`, with its files in a bucket: there, a sequencer is also killed between the requests of one call. */
const openInBucket: typeof open = async (fixture) =>
  openLogFixture(fixture ?? (await openFixture()), { fresh: fixture !== undefined, bucket: await openBucket() });

/** Lets the entries of the first minute appear in the index when their hour is due to be looked for again. */
async function prepareLook(log: LogFixture): Promise<LogFixture> {
  await log.run();
  const appear = await Promise.all(Array.from({ length: 6 }, () => log.uploadLate()));
  log.clock.advance(HOUR_MS);
  await log.run();
  log.clock.advance(48 * HOUR_MS);
  // Two days of minutes, in which nothing happens.
  await log.run({ lookMs: -1 });
  for (const one of appear) await one();
  return log;
}

describe.each([
  ['a folder', open],
  ['a bucket', openInBucket],
])('a log in %s:', (_where, open) => {
  test('a run with new entries is killed before and after its calls: the next run finishes it', async () => {
    const log = await afterFirstRun(open());
    let step = 1 - STRIDE;
    for (let killed = true; killed; ) {
      step += STRIDE;
      await log.grow(2);
      killed = await log.runKilled(step);
      expect(await log.run()).toMatchObject({ superseded: false });
      expect(log.missing()).toEqual([]);
    }
    expect(step).toBeGreaterThan(25);
    await log.expectWhole();
  });

  test('a second look is killed before and after its calls: the next run finishes it, and adds nothing twice', async () => {
    const log = await prepareLook(await open());
    let step = 1 - STRIDE;
    for (let killed = true; killed; log.clock.advance(HOUR_MS)) {
      step += STRIDE;
      await log.upload(1);
      killed = await log.runKilled(step);
      expect(await log.run()).toMatchObject({ superseded: false });
    }
    expect(step).toBeGreaterThan(20);
    log.clock.advance(HOUR_MS);
    await log.run();
    await log.expectWhole();
  });

  test('three sequencers race through a second look: nothing is added twice', async () => {
    const log = await prepareLook(await open());
    const random = randomFrom(5);
    const dawdle: Intercept = () => sleep(random() < 0.2 ? random() * 4 : 0);
    const dependencies = log.intercepted(dawdle);
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
      const log = await open(fixture);
      killed = await log.runKilled(step);
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
        await log.grow(3);
        const runs = Array.from({ length: count }, () => log.run(log.intercepted(dawdle)));
        for (const { superseded, appended } of await Promise.all(runs)) expect(superseded && appended > 0).toBe(false);
      }
      await log.run();
      await log.expectWhole();
    });

    test('one that loses its claim has signed nothing, and stored nothing but its staged batch', async () => {
      const log = await afterFirstRun(open());
      const before = log.files();
      await log.grow(3);
      const calls: string[] = [];
      const heads = { ...log.options.heads, claim: async () => false };
      const loser = log.intercepted((call) => void calls.push(call), { heads });
      expect(await log.run(loser)).toMatchObject({ superseded: true, appended: 0 });
      expect(calls).not.toContain('signer.sign');
      const stored = [...log.files().keys()].filter((path) => !before.has(path));
      expect(stored).toEqual([expect.stringMatching(/^staging\/3-6-/)]);
    });

    test('one whose checkpoint another has replaced meanwhile ends without an error', async () => {
      const log = await afterFirstRun(open());
      await log.grow(3);
      const storage = { ...log.options.storage, replace: async () => false };
      expect(await log.run({ storage })).toMatchObject({ superseded: true, appended: 0 });
      expect(await log.run()).toMatchObject({ superseded: false, size: 6 });
      await log.expectWhole();
    });

    test('three of them that are also killed at random, with entries that appear late', async () => {
      const log = await afterFirstRun(open());
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
          return log.run(log.intercepted(intercept)).catch((error) => {
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

  test('everything at once: clocks that step, kills, a standstill, and entries that the index shows late', async () => {
    const log = await afterFirstRun(open());
    const random = randomFrom(11);
    const counts = { deaths: 0, stops: 0, late: 0, found: 0 };
    let hidden: { at: number; appear: () => Promise<void> }[] = [];
    /** Uploads a few entries, one of which the index shows later. */
    const upload = async (latest: number) => {
      await log.upload(1 + Math.floor(random() * 3));
      hidden.push({ at: log.clock.now() + random() * latest, appear: await log.uploadLate() });
    };
    const pass = async (ms: number) => {
      const now = log.clock.advance(ms);
      for (const { appear } of hidden.filter(({ at }) => at <= now)) await appear();
      hidden = hidden.filter(({ at }) => at > now);
    };
    /** Runs a sequencer whose clock is ahead, and which may be killed. */
    const run = async (ahead: number, deadly: boolean) => {
      const plan = killAt(deadly ? 1 + Math.floor(random() * 300) : Number.POSITIVE_INFINITY);
      const change = log.intercepted(plan.intercept, { now: () => log.clock.now() + ahead });
      try {
        const { late, found } = await log.run(change);
        counts.late += late;
        counts.found += found;
      } catch (error) {
        if (error instanceof FatalError && error.condition === 'clock-moved-back') counts.stops += 1;
        else if (error instanceof Killed) counts.deaths += 1;
        else throw error;
      }
    };
    const race = (step = 0) => Promise.all([run(0, true), run(random() * 4000, true), run(step, true)]);

    for (let minute = 0; minute < 12; minute += 1) {
      await upload(9 * MINUTE_MS);
      await pass(MINUTE_MS);
      await race(random() * MINUTE_MS);
    }
    for (let minute = 0; minute < 10; minute += 1) {
      await pass(MINUTE_MS);
      await run(0, false);
    }
    // At most nine minutes late: nothing is lost.
    expect([log.missing(), counts.found]).toEqual([[], 0]);
    expect(counts.late).toBeGreaterThan(3);

    for (let round = 0; round < 12; round += 1) {
      await upload(24 * HOUR_MS);
      await pass(random() * 10 * MINUTE_MS);
      await (round % 4 === 0 ? run(15 * MINUTE_MS, false) : race());
    }
    for (let hours = 0; hours < 25; hours += 5) {
      await upload(24 * HOUR_MS);
      await pass(5 * HOUR_MS);
    }
    for (let hours = 0; hours < 76; hours += 4) {
      await pass(4 * HOUR_MS);
      await (hours % 3 === 0 ? race() : run(0, false));
    }
    expect(counts.found).toBeGreaterThan(3);
    expect(counts.stops).toBeGreaterThan(3);
    expect(counts.deaths).toBeGreaterThan(10);
    await log.expectWhole();
  });

  test('a storage that is throttled and loses answers: runs fail, and the log is whole once it is well', async () => {
    const log = await afterFirstRun(open());
    const random = randomFrom(3);
    let failures = 0;
    const throttle: Intercept = (call) => {
      if (!call.startsWith('storage.') || random() > 0.06) return;
      throw new Killed('SlowDown');
    };
    for (let round = 0; round < 20; round += 1) {
      await log.grow(3);
      await log.run(log.intercepted(throttle)).catch((error) => {
        orKilled(error);
        failures += 1;
      });
    }
    expect(failures).toBeGreaterThan(5);
    expect(await log.run()).toMatchObject({ superseded: false });
    await log.expectWhole();
  });
});

test('a bucket that throttles, meets conflicts, and carries out what it does not answer: the log stays whole', async () => {
  const bucket = await openBucket();
  const log = await openLogFixture(await openFixture(), { bucket });
  await log.run();
  const random = randomFrom(13);
  const faults: readonly Fault[] = [
    { status: 503, code: 'SlowDown' },
    { status: 500, code: 'InternalError' },
    { status: 409, code: 'ConditionalRequestConflict' },
    'lose the answer',
    'carry out later',
    'take long',
  ];
  const met = new Map<Fault, number>();
  bucket.disturb(() => {
    const fault = random() < 0.04 ? faults[Math.floor(random() * faults.length)] : undefined;
    if (fault) met.set(fault, (met.get(fault) ?? 0) + 1);
    return fault;
  });
  let failures = 0;
  // How often a run calls depends on the others: it ends when every fault was met, and more than ten runs failed.
  for (let round = 0; round < 20 || met.size < faults.length || failures <= 10; round += 1) {
    await log.grow(3);
    const runs = Array.from({ length: 3 }, async () => {
      const plan = killAt(1 + Math.floor(random() * 150));
      await log.run(log.intercepted(plan.intercept)).catch((error) => {
        if (!(error instanceof S3ServiceException)) orKilled(error);
        failures += 1;
      });
    });
    await Promise.all(runs);
  }
  bucket.disturb(() => undefined);
  expect(await log.run()).toMatchObject({ superseded: false });
  await log.expectWhole();
});

test('a claim whose answer is lost is recognized when it is sent again', async () => {
  const fixture = await openFixture();
  const log = await openLogFixture(fixture);
  await log.run();
  const { proxy, db } = await openFaultyDatabase(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
  const heads = headTable(db, fixture.names.tlog);
  await log.grow(3);
  proxy.plan('pass', 'lose the answer');
  expect(await log.run({ heads })).toMatchObject({ appended: 3, superseded: false, size: 6 });
  // The head was read, written, and the write was sent again.
  expect(proxy.seen()).toHaveLength(3);
  await log.expectWhole();
  proxy.close();
});

describe('a clock', () => {
  test('that is set ten minutes forward and back: the log stops, and goes on with every entry when the time has come', async () => {
    const log = await afterFirstRun(open());
    await log.upload(1);
    log.clock.advance(10 * 60_000);
    await log.run();
    log.clock.advance(-8 * 60_000);
    await log.upload(2);
    await expect(log.run()).rejects.toMatchObject({ condition: 'clock-moved-back' });
    log.clock.advance(9 * 60_000);
    expect(await log.run()).toMatchObject({ appended: 2, late: 0 });
    await log.expectWhole();
  });

  test('that is set a day forward and back: once it has come so far, the log reads again what was uploaded meanwhile', async () => {
    const log = await afterFirstRun(open());
    await log.upload(1);
    log.clock.advance(24 * HOUR_MS);
    await log.run();
    log.clock.advance(-23 * HOUR_MS);
    for (let hour = 1; hour < 24; hour += 1) {
      await log.upload(2);
      await expect(log.run()).rejects.toMatchObject({ condition: 'clock-moved-back' });
      log.clock.advance(HOUR_MS);
    }
    await log.upload(3);
    const plan = killAt(60);
    await expect(log.run(log.intercepted(plan.intercept))).rejects.toBeInstanceOf(Killed);
    await log.run();
    log.clock.advance(MINUTE_MS);
    expect(await log.run()).toMatchObject({ appended: 3, late: 0 });
    expect(await log.head()).not.toHaveProperty('readAgainFrom');
    // The second look compares each hour with all that the log has of it.
    log.clock.advance(51 * HOUR_MS);
    expect(await log.run()).toMatchObject({ appended: 0, late: 0, found: 0 });
    await log.expectWhole();
  });

  test('that a cursor is ahead of: the log stops until the time has come, and leaves nothing out', async () => {
    const log = await afterFirstRun(open());
    const { cursor } = await log.head();
    await log.changeHead({ cursor: cursor + 3 * HOUR_MS });
    await log.upload(2);
    await expect(log.run()).rejects.toMatchObject({ condition: 'clock-moved-back' });
    log.clock.advance(3 * HOUR_MS);
    expect(await log.run()).toMatchObject({ appended: 2 });
    await log.expectWhole();
  });

  test('that differs by five seconds from another machine’s changes nothing', async () => {
    const log = await afterFirstRun(open());
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
