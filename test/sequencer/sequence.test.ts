import { afterEach, expect, test } from 'vitest';
import type { Log } from '../../functions/sequencer/sequence.ts';
import { COMMIT_ENTRIES } from '../../functions/tlog/commit.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { newSigner } from '../c2sp/keys.ts';
import { HOUR_MS, LAG_MS, leafHex, MINUTE_MS, noDeadline, world } from '../setup/world.ts';
import { intercepted } from './intercept.ts';

/** A log before its first run. */
const log = await world().sequenced();
const restore = await log.keep();
/** A run comes past two days in one step: by itself it takes one of ten minutes after the other. */
const AT_ONCE = { stepMs: 60 * HOUR_MS };
/** Who signs the checkpoints of the log, if not only its own signer does. */
let signers: Log['signers'] | undefined;
/** True if entries come into the log that the test has not stored. */
let hasOthers = false;
afterEach(async () => {
  const checked = hasOthers ? Promise.resolve() : log.expectWhole(signers && { signers });
  [signers, hasOthers] = [undefined, false];
  await checked.finally(restore);
});

test('a new log commits the empty tree, begins with the table, and appends what was received before it', async () => {
  const begin = log.clock.now();
  await log.store(3);
  log.clock.advance(3 * HOUR_MS);
  expect(await log.run()).toMatchObject({ appended: 3, size: 3, superseded: false, quorumMissed: false, lag: LAG_MS });
  expect(log.commit(1)).toMatchObject({ from: { size: 0 }, origin: 'localhost/ailog', looked: begin });
});

test('entries come in the order of their hashes, once, and each commit has its checkpoint', async () => {
  await log.run();
  const batch = await log.grow(20);
  expect(await log.run()).toMatchObject({ appended: 20, size: 20 });
  expect(log.leaves()).toEqual(batch.map(leafHex).sort());
  await log.grow(5);
  expect(await log.run()).toMatchObject({ appended: 5, size: 25 });
  expect(await log.run()).toMatchObject({ appended: 0, size: 25 });
  expect(log.newest()).toMatchObject({ n: 3, from: { size: 20 }, to: { size: 25 }, cursor: log.clock.now() - LAG_MS });
});

test('what is younger than the lag waits', async () => {
  await log.run();
  await log.store(1);
  log.clock.advance(LAG_MS);
  expect(await log.run()).toMatchObject({ appended: 0 });
  log.clock.advance(1);
  expect(await log.run()).toMatchObject({ appended: 1 });
});

test('an idle log writes nothing for ten minutes, and then commits', async () => {
  await log.run();
  const files = log.files();
  log.clock.advance(10 * MINUTE_MS - 1);
  await log.run();
  expect(log.files()).toEqual(files);
  log.clock.advance(1);
  expect(await log.run()).toMatchObject({ appended: 0, size: 0 });
  expect(log.newest()).toMatchObject({ n: 2, cursor: log.clock.now() - LAG_MS, entries: [] });
  expect(log.files().has(checkpointPath(2))).toBe(true);
});

test('a new retention is in the next commit, which does not wait', async () => {
  await log.run();
  log.clock.advance(1);
  await log.run({ retentionDays: 30 });
  expect(log.newest()).toMatchObject({ n: 2, retentionDays: 30 });
  await log.run({ retentionDays: 30 });
  expect(log.newest().n).toBe(2);
});

test('the time of a commit does not go back with the clock of another machine', async () => {
  await log.run();
  const { time, cursor } = log.newest();
  log.clock.advance(-4000);
  await log.run({ retentionDays: 30 });
  expect(log.newest()).toMatchObject({ n: 2, time, cursor });
});

test('a second key signs beside the first at once, and may then sign alone', async () => {
  await log.run();
  const [first] = await log.options.signers(noDeadline());
  if (!first) throw new Error('no signer');
  const second = newSigner(log.options.origin);
  signers = async () => [first, second];
  await expect(log.run({ signers: async () => [second] })).rejects.toMatchObject({ condition: 'key-unknown' });
  await log.run({ signers });
  await log.grow(2);
  expect(await log.run({ signers: async () => [second] })).toMatchObject({ appended: 2 });
  expect(log.newest().n).toBe(3);
});

test('an entry that the index shows late is appended by the next run of the window, and only once', async () => {
  await log.run();
  const show = log.storeLate();
  await log.store(3);
  log.clock.advance(5 * MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 3 });
  await show();
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 1 });
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 0 });
});

test('an entry that the index shows after the window is found two days later, hour by hour', async () => {
  await log.run();
  const show = log.storeLate();
  log.clock.advance(HOUR_MS);
  await log.run();
  await show();
  log.clock.advance(47 * HOUR_MS);
  expect(await log.run(AT_ONCE)).toMatchObject({ appended: 0, found: 0 });
  log.clock.advance(2 * HOUR_MS);
  expect(await log.run()).toMatchObject({ appended: 0, found: 1 });
  expect(await log.run()).toMatchObject({ appended: 0, found: 0 });
  const { looked, cursor } = log.newest();
  expect(cursor - looked).toBeLessThan(49 * HOUR_MS);
});

test('what came late into the window is not added again when its hour is looked at a second time', async () => {
  await log.run();
  const end = (Math.floor(log.clock.now() / HOUR_MS) + 1) * HOUR_MS;
  log.clock.set(end - 1);
  const show = log.storeLate();
  await log.grow(1);
  expect(await log.run()).toMatchObject({ appended: 1 });
  await show();
  log.clock.advance(MINUTE_MS);
  expect(await log.run()).toMatchObject({ appended: 1 });
  log.clock.set(end + 50 * HOUR_MS);
  expect(await log.run(AT_ONCE)).toMatchObject({ found: 0 });
});

test('an hour is looked at a second time when the log has come 48 hours past its end, and not before', async () => {
  await log.run();
  const { looked } = log.newest();
  const end = (Math.floor(looked / HOUR_MS) + 1) * HOUR_MS;
  for (const [cursor, expected] of [
    [looked + 49 * HOUR_MS - 1, looked],
    [looked + 49 * HOUR_MS, end],
  ] as const) {
    log.clock.set(cursor + LAG_MS);
    await log.store(1, cursor - 1);
    await log.run(AT_ONCE);
    expect(log.newest()).toMatchObject({ cursor, looked: expected });
  }
});

test('more entries than a commit takes are parted by their time', async () => {
  await log.run();
  hasOthers = true;
  const begin = log.clock.now();
  const hash = (at: number) => Buffer.from(at.toString(16).padStart(64, '0'), 'hex');
  // The first millisecond has more than a commit takes, and the others have four each.
  const many = Array.from({ length: COMMIT_ENTRIES + 4100 }, (_, at) => ({
    receivedAt: begin + Math.max(0, Math.floor((at - COMMIT_ENTRIES) / 4)),
    entryHash: hash(at),
  }));
  const between = async ([from, until]: readonly [number, number]) =>
    many.filter(({ receivedAt }) => receivedAt >= from && receivedAt < until).toReversed();
  log.clock.advance(5 * MINUTE_MS);
  const arrivals: Log['arrivals'] = { ...log.options.arrivals, between };
  expect(await log.run({ arrivals })).toMatchObject({ appended: many.length, size: many.length });
  const commits = Array.from({ length: log.newest().n }, (_, at) => log.commit(at + 1));
  for (const { entries } of commits) expect(entries.length).toBeLessThanOrEqual(COMMIT_ENTRIES);
  const times = new Map(many.map(({ receivedAt, entryHash }) => [entryHash.toString('hex'), receivedAt]));
  for (const { entries, cursor } of commits)
    for (const entry of entries) expect(times.get(Buffer.from(entry).toString('hex'))).toBeLessThanOrEqual(cursor);
  expect(log.newest().cursor).toBe(log.clock.now() - LAG_MS);
  log.clock.advance(MINUTE_MS);
  expect(await log.run({ arrivals })).toMatchObject({ appended: 0 });
});

test('a log that stood still goes on in steps, and keeps its place when a run is aborted', async () => {
  await log.run();
  for (let at = 0; at < 3; at += 1) {
    await log.store(2);
    log.clock.advance(HOUR_MS);
  }
  let commits = 0;
  const storage = intercepted('storage', log.options.storage, (call, phase, path) => {
    if (call === 'storage.create' && phase === 'before' && path === commitPath(3))
      throw new Error(`commit ${++commits}`);
  });
  await expect(log.run({ storage })).rejects.toThrow('commit 1');
  expect(log.leaves()).toHaveLength(2);
  expect(await log.run()).toMatchObject({ appended: 4, size: 6 });
});

test('a run that loses its commit has signed nothing, and ends without a failure', async () => {
  await log.run();
  await log.grow(3);
  const signed: string[] = [];
  const noted: Log['signers'] = async (signal) =>
    (await log.options.signers(signal)).map(({ key, sign }) => ({
      key,
      sign: (message, abortSignal) => {
        signed.push(Buffer.from(message).toString());
        return sign(message, abortSignal);
      },
    }));
  let isOther = false;
  const storage = intercepted('storage', log.options.storage, async (call, phase, path) => {
    if (isOther || call !== 'storage.create' || phase !== 'before' || path !== commitPath(2)) return;
    isOther = true;
    log.clock.advance(1);
    await log.run();
  });
  expect(await log.run({ storage, signers: noted })).toMatchObject({ superseded: true, appended: 0 });
  expect([isOther, signed]).toEqual([true, []]);
});

test('a run that slept before its checkpoint leaves the newer one in its place', async () => {
  await log.run();
  await log.grow(3);
  let isOther = false;
  const storage = intercepted('storage', log.options.storage, async (call, phase) => {
    if (isOther || call !== 'storage.replace' || phase !== 'before') return;
    isOther = true;
    await log.run();
    await log.grow(2);
    await log.run();
  });
  expect(await log.run({ storage })).toMatchObject({ superseded: true });
  expect(log.leaves()).toHaveLength(5);
});
