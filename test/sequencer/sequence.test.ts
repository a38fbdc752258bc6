import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Entry } from '../../functions/ailog/entry.ts';
import { hoursFrom, RECONCILIATION } from '../../functions/sequencer/reconciliation.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage, keyPreimage } from '../../functions/tlog/entryHash.ts';
import { openFixture } from '../setup/fixture.ts';
import { HOUR_MS, MINUTE_MS } from '../setup/time.ts';
import { LAG_MS, leafHex, openLogFixture } from './logFixture.ts';

const open = async () => openLogFixture(await openFixture());

test('the first run puts both keys of the log into it; a run with nothing to do changes no file', async () => {
  const log = await open();
  expect(await log.run()).toMatchObject({ appended: 0, superseded: false, size: 2, lag: LAG_MS });
  const { keys } = await log.head();
  expect(keys.map((key) => key.split('+')[0])).toEqual(['localhost/ailog', 'localhost/ailog/receipts']);
  expect(log.leaves()).toEqual(keys.map((key) => entryHashOf(keyPreimage(key)).toString('hex')));
  const before = await log.head();
  expect(await log.run()).toMatchObject({ appended: 0, size: 2 });
  expect(await log.head()).toEqual(before);
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 0, size: 2, lag: LAG_MS });
  await log.expectWhole();
});

test('entries are in the log after the lag, each batch by leaf', async () => {
  const log = await open();
  await log.run();
  const entries = await log.upload(20);
  expect(await log.run()).toMatchObject({ appended: 0, size: 2 });
  log.clock.advance(LAG_MS + 1);
  expect(await log.run()).toMatchObject({ appended: 20, size: 22 });
  const leaves = entries.map((entry) => entryHashOf(entryPreimage(entry)).toString('hex'));
  expect(log.leaves().slice(2)).toEqual(leaves.sort());
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
  expect(log.leaves()).toHaveLength(2 + 627);
  await log.expectWhole();
});

test('entries from before the log come into it at once, in the order in which they were received', async () => {
  const log = await open();
  const old = [];
  for (const age of [5, 1, 400, 30, 2])
    old.push(...(await log.upload(2, { receivedAt: log.clock.now() - age * HOUR_MS, indexed: false })));
  await log.upload(1, { receivedAt: log.clock.now() - MINUTE_MS });
  expect(await log.run()).toMatchObject({ appended: 0, found: { backfill: 11 }, size: 13 });
  const times = new Map(old.map((entry) => [entryHashOf(entryPreimage(entry)).toString('hex'), entry.receivedAt]));
  const order = log
    .leaves()
    .slice(2, 12)
    .map((leaf) => times.get(leaf) as number);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(await log.run()).toMatchObject({ found: {}, size: 13 });
  await log.expectWhole();
});

test('entries that the index shows late are found by the next hourly reconciliation', async () => {
  const log = await open();
  await log.run();
  const appear = [await log.uploadLate(), await log.uploadLate()];
  await log.upload(3);
  log.clock.advance(LAG_MS + 1);
  expect(await log.run()).toMatchObject({ appended: 3, size: 5 });
  for (const one of appear) await one();
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 0, found: {}, size: 5 });
  await log.makeDue('hourly');
  expect(await log.run()).toMatchObject({ found: { hourly: 2 }, size: 7 });
  await log.makeDue('hourly');
  expect(await log.run()).toMatchObject({ found: { hourly: 0 }, size: 7 });
  await log.expectWhole();
});

test('the reconciliations are done every hour and every day, and an hourly one that did not end after 16 minutes', async () => {
  const log = await open();
  expect(await log.run()).toMatchObject({ found: { hourly: 0, backfill: 0 } });
  const { now } = log.clock;
  const at = (begunAgo: number, doneAgo: number) => ({ begunAt: now() - begunAgo, doneAt: now() - doneAgo });
  for (const [hourly, daily, found] of [
    [at(HOUR_MS, HOUR_MS), at(HOUR_MS, HOUR_MS), { hourly: 0 }],
    [at(HOUR_MS - 1, HOUR_MS - 1), at(24 * HOUR_MS - 1, 24 * HOUR_MS - 1), {}],
    [at(0, 0), at(24 * HOUR_MS, 24 * HOUR_MS), { daily: 0 }],
    [at(15 * MINUTE_MS, 3 * HOUR_MS), at(0, 0), {}],
    [at(16 * MINUTE_MS, 3 * HOUR_MS), at(0, 0), { hourly: 0 }],
  ] as const) {
    await log.changeHead({ hourly, daily });
    expect((await log.run()).found).toEqual(found);
  }
});

test('the hourly reconciliation begins three hours before the cursor, at a size that the log had then', () => {
  const cursor = 100 * HOUR_MS;
  const mark = (ago: number, size: number) => ({ cursor: cursor - ago, size });
  const marks = [mark(4 * HOUR_MS, 10), mark(3 * HOUR_MS, 20), mark(3 * HOUR_MS - 1, 30), mark(HOUR_MS, 40)];
  expect(hoursFrom({ cursor, marks })).toEqual(mark(3 * HOUR_MS, 20));
  expect(hoursFrom({ cursor, marks: marks.slice(2) })).toEqual(mark(3 * HOUR_MS - 1, 30));
  expect(hoursFrom({ cursor, marks: [] })).toEqual({ cursor, size: 0 });
});

test('each hour leaves a mark behind: where the log was when it began', async () => {
  const log = await open();
  await log.run();
  const before = (await log.head()).cursor;
  await log.upload(3);
  log.clock.advance(29 * MINUTE_MS + LAG_MS - 1);
  await log.run();
  expect((await log.head()).marks).toEqual([{ cursor: before, size: 0 }]);
  const last = (await log.head()).cursor;
  log.clock.advance(MINUTE_MS);
  await log.run();
  expect((await log.head()).marks).toEqual([
    { cursor: before, size: 0 },
    { cursor: last, size: 5 },
  ]);
});

test('what the hourly reconciliation cannot see any more, and what has no arrival keys, is found by the daily one', async () => {
  const log = await open();
  await log.run();
  await log.upload(2, { receivedAt: log.clock.now() - 5 * HOUR_MS });
  await log.upload(1, { receivedAt: log.clock.now() - HOUR_MS, indexed: false });
  await log.makeDue('hourly');
  expect(await log.run()).toMatchObject({ found: { hourly: 0 }, size: 2 });
  await log.makeDue('daily');
  expect(await log.run()).toMatchObject({ found: { daily: 3 }, size: 5 });
  await log.expectWhole();
});

test('an entry whose arrival keys were changed by hand is found by its attributes', async () => {
  const log = await open();
  const [entry] = await log.upload(1, { receivedAt: log.clock.now() - HOUR_MS, indexed: false });
  if (!entry) throw new Error('no entry');
  const Item = { ...entry, ...arrivalKeys(entry), arrival: Buffer.from('not what the service wrote') };
  await log.db.send(new PutCommand({ TableName: log.names.aiLogs, Item }));
  expect(await log.run()).toMatchObject({ found: { backfill: 1 } });
  await log.expectWhole();
});

test('a backfill that stops after every step goes on in the next run, in order, and new entries do not wait for it', async () => {
  const log = await open();
  const stepwise = log.stepwise();
  const old: Entry[] = [];
  for (let age = 1; age <= 40; age += 1) {
    const receivedAt = log.clock.now() - ((age * 17) % 41) * HOUR_MS - LAG_MS - 1;
    old.push(...(await log.upload(2, { receivedAt, indexed: age % 3 === 0 })));
  }
  let runs = 0;
  let appended = 0;
  for (let ended = false; !ended; runs += 1) {
    await log.upload(1);
    log.clock.advance(LAG_MS + 1);
    appended += (await log.run(stepwise)).appended;
    ended = (await log.head()).daily.doneAt > 0;
  }
  expect(runs).toBeGreaterThan(20);
  // The first new entry is older than the log, which begins with its first run.
  expect(appended).toBe(runs - 1);
  const order = new Map(log.leaves().map((leaf, index) => [leaf, index]));
  const placed = old.map((entry) => ({ entry, index: order.get(leafHex(entry)) as number }));
  const times = placed.toSorted((one, other) => one.index - other.index).map(({ entry }) => entry.receivedAt);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  await log.expectWhole();
});

test('an entry that is found twice, by the daily and by an hourly reconciliation in between, is added once', async () => {
  const log = await open();
  await log.run();
  await log.upload(3, { receivedAt: (await log.head()).cursor - 1 });
  const { cursor } = await log.head();
  await log.changeHead({ marks: [{ cursor: cursor - 1000, size: 0 }], daily: { begunAt: 1, doneAt: 1 } });
  const oneStep = { reconciliation: { ...RECONCILIATION, durationMs: 0 } };
  await log.run(oneStep);
  await log.run(oneStep);
  expect((await log.head()).daily.progress?.files).toHaveLength(1);
  await log.makeDue('hourly');
  expect(await log.run(oneStep)).toMatchObject({ found: { hourly: 3, daily: 0 } });
  await log.run();
  await log.expectWhole();
});

const LATE = process.env.THOROUGH ? 10_000 : 2000;

test(`${LATE} entries that came late are added in one reconciliation`, async () => {
  const log = await open();
  await log.run();
  log.clock.advance(5 * MINUTE_MS);
  await log.run();
  await log.upload(LATE, { receivedAt: log.clock.now() - 3 * MINUTE_MS });
  await log.makeDue('hourly');
  expect(await log.run()).toMatchObject({ appended: 0, found: { hourly: LATE }, size: LATE + 2 });
  expect(new Set(log.leaves()).size).toBe(LATE + 2);
});
