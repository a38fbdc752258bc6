import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BATCH_LEAVES, isLookDue } from '../../functions/sequencer/appendArrivals.ts';
import { runSequencer } from '../../functions/sequencer/run.ts';
import { entryHashOf, entryPreimage, keyPreimage, retentionPreimage } from '../../functions/tlog/entryHash.ts';
import { firstHead, nextHead } from '../../functions/tlog/head.ts';
import { parseHints } from '../../functions/tlog/hints.ts';
import { openFixture } from '../setup/fixture.ts';
import { HOUR_MS, MINUTE_MS } from '../setup/time.ts';
import { Killed, withIntercept } from './intercept.ts';
import { afterFirstRun, LAG_MS, leafHex, openLogFixture } from './logFixture.ts';

const open = async () => openLogFixture(await openFixture());

test('the first run puts the keys and the retention of the log into it; a run with nothing to do changes no file', async () => {
  const log = await open();
  expect(await log.run()).toMatchObject({ appended: 0, superseded: false, size: 3, lag: LAG_MS });
  const { keys, retentionDays } = await log.head();
  expect(keys.map(({ key }) => key.split('+')[0])).toEqual(['localhost/ailog', 'localhost/ailog/receipts']);
  expect(keys).toMatchObject([
    { index: 0, size: 3 },
    { index: 1, size: 3 },
  ]);
  expect(retentionDays).toBe(0);
  const preimages = [...keys.map(({ key }) => keyPreimage(key)), retentionPreimage(0)];
  expect(log.leaves()).toEqual(preimages.map((preimage) => entryHashOf(preimage).toString('hex')));
  const before = await log.head();
  expect(await log.run()).toMatchObject({ appended: 0, size: 3 });
  expect(await log.head()).toEqual(before);
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 0, size: 3, lag: LAG_MS });
  await log.expectWhole();
});

test('a retention is announced when it changes, before the entries of the run', async () => {
  const log = await open();
  await log.run({ retentionDays: 30 });
  const [entry] = await log.grow(1);
  await log.run({ retentionDays: 365 });
  await log.run({ retentionDays: 365 });
  const announced = [30, 365].map((days) => entryHashOf(retentionPreimage(days)).toString('hex'));
  expect(log.leaves().slice(2)).toEqual([...announced, leafHex(entry as NonNullable<typeof entry>)]);
  expect(retentionPreimage(365)).toBe('ai-log-retention/v1\n[365]');
});

test('entries are in the log after the lag, each batch by leaf', async () => {
  const log = await afterFirstRun(open());
  const entries = await log.upload(20);
  expect(await log.run()).toMatchObject({ appended: 0, size: 3 });
  log.clock.advance(LAG_MS + 1);
  expect(await log.run()).toMatchObject({ appended: 20, size: 23 });
  const leaves = entries.map((entry) => entryHashOf(entryPreimage(entry)).toString('hex'));
  expect(log.leaves().slice(3)).toEqual(leaves.sort());
  await log.expectWhole();
});

test('the log grows over full tiles, and over minutes of nothing', async () => {
  const log = await open();
  for (const [count, pause] of [
    [255, LAG_MS + 1],
    [1, 61_000],
    [300, 10 * MINUTE_MS],
    [1, MINUTE_MS],
    [70, 2 * MINUTE_MS],
  ] as const) {
    await log.upload(count);
    log.clock.advance(pause);
    await log.run();
  }
  log.clock.advance(LAG_MS);
  await log.run();
  expect(log.leaves()).toHaveLength(3 + 627);
  await log.expectWhole();
});

test.each([1, 5, 9])('an entry that the index shows %i minutes late is added by the next run', async (minutes) => {
  const log = await afterFirstRun(open());
  const appear = await log.uploadLate();
  await log.upload(3);
  for (let minute = 0; minute < minutes; minute += 1) {
    log.clock.advance(MINUTE_MS);
    await log.run();
  }
  await appear();
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 0, late: 1, found: 0, size: 7 });
  expect(await log.run()).toMatchObject({ late: 0, size: 7 });
  await log.expectWhole();
});

test('an entry that the index shows up to 24 hours late is found two days after its upload, and counted apart', async () => {
  const log = await afterFirstRun(open());
  const appear = await log.uploadLate();
  await log.upload(2);
  for (let hour = 0; hour < 24; hour += 1) {
    await log.upload(1);
    log.clock.advance(HOUR_MS);
    await log.run();
  }
  await appear();
  let found = 0;
  for (let hour = 0; hour < 26; hour += 1) {
    await log.upload(1);
    log.clock.advance(HOUR_MS);
    const outcome = await log.run();
    expect(outcome).toMatchObject({ late: 0 });
    found += outcome.found;
  }
  expect(found).toBe(1);
  await log.expectWhole();
});

test('an append ends with the minute in which its batch is full', async () => {
  const log = await afterFirstRun(open());
  const start = log.clock.now();
  const counts = new Map([0, BATCH_LEAVES - 1, 1, 1].map((count, minute) => [start + minute * MINUTE_MS, count]));
  // An index with more entries than a test can upload.
  const arrivals = {
    ...log.options.arrivals,
    between: async ([from, until]: readonly [number, number]) =>
      [...counts]
        .filter(([time]) => time >= from && time < until)
        .flatMap(([time, count]) =>
          Array.from({ length: count }, (_, index) => hash('sha256', `${time} ${index}`, 'buffer')),
        ),
  };
  log.clock.advance(10 * MINUTE_MS);
  expect(await log.run({ arrivals })).toMatchObject({ appended: BATCH_LEAVES + 1, late: 0 });
  const sizes = [...log.files().keys()].filter((path) => path.startsWith('checkpoints/'));
  expect(sizes.sort()).toEqual([3, BATCH_LEAVES + 3, BATCH_LEAVES + 4].map((size) => `checkpoints/${size}`).sort());
});

test('the second look adds nothing twice that the index showed late at the end of an hour', async () => {
  const log = await open();
  const start = log.clock.now();
  await log.run();
  const hour = Math.ceil(start / HOUR_MS) * HOUR_MS;
  const runUntil = async (time: number) => {
    while (log.clock.now() < time) {
      log.clock.advance(MINUTE_MS);
      await log.run();
    }
  };
  await runUntil(hour - MINUTE_MS);
  // With the three leaves before them, they fill a bundle: the late one is in another.
  await log.upload(253);
  const show = await log.uploadLate();
  await runUntil(hour + MINUTE_MS);
  // The next run begins a mark at the end of the hour, and adds after it what came late.
  log.clock.advance(10 * MINUTE_MS);
  await show();
  expect(await log.run()).toMatchObject({ late: 1, found: 0 });
  expect((await log.head()).marks.at(-1)).toEqual({ cursor: hour + MINUTE_MS - LAG_MS, size: 256 });
  await runUntil(hour + 30 * MINUTE_MS);
  log.clock.set(hour + 50 * HOUR_MS);
  expect(await log.run()).toMatchObject({ appended: 0, late: 0, found: 0 });
  await log.expectWhole();
});

test('the second look reads the leaves of its hour, and no others', async () => {
  const log = await open();
  const start = log.clock.now();
  await log.run();
  // Each hour fills a bundle.
  for (const count of [253, 256, 256, 256, 1]) {
    await log.upload(count);
    log.clock.advance(HOUR_MS);
    await log.run();
  }
  const third = Math.floor(start / HOUR_MS) * HOUR_MS + 2 * HOUR_MS;
  log.clock.set(third + 49 * HOUR_MS + LAG_MS);
  await log.run({ lookMs: -1 });
  await log.changeHead({ looked: third });
  const read: string[] = [];
  const storage: typeof log.options.storage = {
    ...log.options.storage,
    get(path, ...rest) {
      if (path.startsWith('tile/entries/')) read.push(path);
      return log.options.storage.get(path, ...rest);
    },
  };
  expect(await log.run({ storage })).toMatchObject({ found: 0 });
  expect((await log.head()).looked).toBe(third + HOUR_MS);
  // The mark before the hour is half an hour older.
  expect(read).toEqual(['tile/entries/001', 'tile/entries/002']);
});

test('the hours that a run has no time to look at again are left to the next one', async () => {
  const log = await afterFirstRun(open());
  log.clock.advance(60 * HOUR_MS);
  await log.run({ lookMs: -1 });
  const { looked } = await log.head();
  await log.run({ lookMs: 2 * MINUTE_MS, now: () => log.clock.advance(20_000) });
  const head = await log.head();
  expect([head.looked > looked, isLookDue(head)]).toEqual([true, true]);
  await log.run();
  expect(isLookDue(await log.head())).toBe(false);
});

test('an hour is looked at again once it ended 48 hours before the cursor', () => {
  const head = firstHead(0, 49 * HOUR_MS);
  expect([isLookDue(head), isLookDue({ ...head, cursor: 49 * HOUR_MS - 1 })]).toEqual([true, false]);
});

test('after a standstill of 25 hours, everything is in the log, and what the index showed late meanwhile', async () => {
  const log = await afterFirstRun(open());
  const appear = await log.uploadLate();
  for (let hour = 0; hour < 25; hour += 1) {
    await log.upload(2);
    log.clock.advance(HOUR_MS);
  }
  await appear();
  const outcome = await log.run();
  expect(outcome.appended + outcome.late).toBe(51);
  expect(await log.run()).toMatchObject({ appended: 0, late: 0, lag: LAG_MS });
  await log.expectWhole();
});

test('a log that is lost starts anew from the index of all minutes, in order and in steps', async () => {
  const fixture = await openFixture();
  const lost = await openLogFixture(fixture);
  const beginning = lost.clock.now();
  const entries = [];
  for (let hour = 0; hour < 30; hour += 1) {
    entries.push(...(await lost.upload(2)));
    lost.clock.advance(HOUR_MS);
  }
  const log = await openLogFixture(fixture, { fresh: true });
  log.clock.set(lost.clock.now());
  const arrivals = { ...log.options.arrivals, beginning: async () => beginning };
  const claims: string[] = [];
  const counted = withIntercept({ ...log.options, arrivals }, (call, phase) => {
    if (call === 'heads.claim' && phase === 'after') claims.push(call);
  });
  expect(await log.run(counted)).toMatchObject({ appended: 60, late: 0, found: 0, size: 63 });
  expect(claims.length).toBeGreaterThan(5);
  const order = new Map(log.leaves().map((leaf, index) => [leaf, index]));
  // Within a step, entries are in the order of their leaves.
  const step = 6 * HOUR_MS;
  const placed = entries.map((entry) => [
    order.get(leafHex(entry)) as number,
    Math.floor((entry.receivedAt - beginning) / step),
  ]);
  const steps = placed.toSorted(([one = 0], [other = 0]) => one - other).map(([, at]) => at);
  expect(steps).toEqual(steps.toSorted((one = 0, other = 0) => one - other));
  expect(await log.run()).toMatchObject({ appended: 0, late: 0, found: 0 });
});

test('a mark for every ten minutes says what is before and after it, for three days', () => {
  let head = firstHead(0, 0);
  for (let minute = 1; minute <= 5 * 24 * 60; minute += 1) {
    const looked = Math.max(0, minute * MINUTE_MS - 49 * HOUR_MS);
    head = nextHead(head, 0, { cursor: minute * MINUTE_MS, size: minute, looked });
  }
  expect(head.marks.slice(-2)).toEqual([
    { cursor: (5 * 24 * 60 - 11) * MINUTE_MS, size: 5 * 24 * 60 - 11 },
    { cursor: (5 * 24 * 60 - 1) * MINUTE_MS, size: 5 * 24 * 60 - 1 },
  ]);
  expect(head.marks).toHaveLength(3 * 24 * 6 + 1);
  expect(head.marks[0]?.cursor).toBeLessThanOrEqual(head.cursor - 72 * HOUR_MS);
});

test('marks that the second look still needs are kept', () => {
  let head = firstHead(0, 0);
  for (let hour = 1; hour <= 100; hour += 1) head = nextHead(head, 0, { cursor: hour * HOUR_MS, looked: 5 * HOUR_MS });
  expect(head.marks[0]).toEqual({ cursor: 5 * HOUR_MS, size: 0 });
});

test('the time of a head never goes back, whatever the clock says', () => {
  const head = firstHead(5000, 0);
  expect(nextHead(head, 4000, {}).writtenAt).toBe(5000);
  expect(nextHead(head, 6000, {}).writtenAt).toBe(6000);
});

test('each published size has its hint: cursor, size, time of publication, and the size before', async () => {
  const log = await afterFirstRun(open());
  for (const minutes of [1, 10]) {
    await log.upload(2);
    log.clock.advance(minutes * MINUTE_MS);
    await log.run();
  }
  // An idle log publishes its checkpoint again every ten minutes, and its cursor moves.
  for (let minute = 0; minute < 10; minute += 1) {
    log.clock.advance(MINUTE_MS);
    await log.run();
  }
  const lines = [
    '2025-11-14T09:30:30.000Z 3 2025-11-14T09:31:00.000Z 0',
    '2025-11-14T09:31:30.000Z 5 2025-11-14T09:32:00.000Z 3',
    '2025-11-14T09:41:30.000Z 7 2025-11-14T09:42:00.000Z 5',
    '2025-11-14T09:50:30.000Z 7 2025-11-14T09:51:00.000Z 5',
  ];
  expect(String(log.files().get('hints/2025-11-14')).split('\n')).toEqual([...lines, '']);
});

test('after a standstill, hints say when the entries came in, and not when they were received', async () => {
  const log = await afterFirstRun(open());
  await log.upload(1);
  log.clock.advance(25 * 60 * MINUTE_MS);
  await log.run();
  const hints = parseHints(String(log.files().get('hints/2025-11-14')));
  expect(hints.at(-1)).toMatchObject({ size: 4, from: 3, published: log.clock.now() });
});

test('a run that dies between hint and checkpoint leaves a hint that the next one corrects', async () => {
  const log = await afterFirstRun(open());
  await log.upload(1);
  log.clock.advance(MINUTE_MS);
  let replaced = 0;
  const options = log.intercepted((call, phase) => {
    if (call === 'storage.replace' && phase === 'before') replaced += 1;
    if (replaced === 2) throw new Killed();
  });
  await expect(runSequencer(options, AbortSignal.timeout(30_000))).rejects.toThrow(Killed);
  log.clock.advance(60 * MINUTE_MS);
  await log.run();
  const hints = parseHints(String(log.files().get('hints/2025-11-14'))).filter(({ size }) => size === 4);
  expect(hints.map(({ published }) => (log.clock.now() - published) / MINUTE_MS)).toEqual([60, 0]);
});

test('an idle log publishes its checkpoint again every ten minutes', async () => {
  const log = await afterFirstRun(open());
  const replaced: string[] = [];
  const storage = {
    ...log.options.storage,
    replace: (path: string, ...rest: [Uint8Array, string | undefined, AbortSignal]) => {
      replaced.push(path);
      return log.options.storage.replace(path, ...rest);
    },
  };
  for (let run = 0; run < 15; run += 1) {
    log.clock.advance(2 * MINUTE_MS);
    await log.run({ storage });
  }
  const published = () => replaced.splice(0).filter((path) => path === 'checkpoint').length;
  expect(published()).toBe(3);
  // One with new entries is published once in each run.
  for (let run = 0; run < 10; run += 1) {
    await log.upload(1);
    log.clock.advance(2 * MINUTE_MS);
    await log.run({ storage });
  }
  expect(published()).toBe(10);
  await log.expectWhole();
});

const MANY = process.env.THOROUGH ? BATCH_LEAVES + 5000 : 2000;

test(`${MANY} entries that came late are added in one run`, async () => {
  const log = await afterFirstRun(open());
  log.clock.advance(5 * MINUTE_MS);
  await log.run();
  await log.upload(MANY, { receivedAt: log.clock.now() - 3 * MINUTE_MS });
  log.clock.advance(1);
  expect(await log.run()).toMatchObject({ appended: 0, late: MANY, size: MANY + 3 });
  expect(await log.run()).toMatchObject({ late: 0, size: MANY + 3 });
  expect(new Set(log.leaves()).size).toBe(MANY + 3);
});
