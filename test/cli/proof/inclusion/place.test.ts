import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  compareLog,
  compareRows,
  type Progress,
  placeFinder,
  type RowFacts,
  rowKeysOf,
  statusOf,
  whyMissing,
} from '../../../../cli/proof/inclusion/place.ts';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { arrivalKeys, arrivalKeysOf } from '../../../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../../../functions/tlog/entryHash.ts';
import { newEntry } from '../../../sequencer/newEntry.ts';
import { MINUTE_MS } from '../../../setup/time.ts';

const CURSOR = 1_763_112_660_000;
const NOW = CURSOR + 90_000;

/** The times at which the rule changes, and a millisecond before and after each. */
const TIMES = [0, CURSOR - 10 * MINUTE_MS, CURSOR, NOW, NOW + MINUTE_MS, NOW + 60 * MINUTE_MS].flatMap((time) => [
  Math.max(0, time - 1),
  time,
  time + 1,
]);

// biome-ignore format: one case a line
test.each<[name: string, row: Partial<RowFacts>, status: ReturnType<typeof statusOf>]>([
  ['its hash is in the log', { isLogged: true, isChanged: true, isIndexed: false }, 'logged'],
  ['its arrival keys name another hash', { isChanged: true, isIndexed: false }, 'differs'],
  ['the log has not come to it', { receivedAt: CURSOR }, 'pending'],
  ['the sequencer looks for it for ten minutes', { receivedAt: CURSOR - 10 * MINUTE_MS }, 'pending'],
  ['it does not any more', { receivedAt: CURSOR - 10 * MINUTE_MS - 1 }, 'missing'],
  ['the clocks differ by a minute', { receivedAt: NOW + MINUTE_MS }, 'pending'],
  ['its time is in the future', { receivedAt: NOW + MINUTE_MS + 1 }, 'missing'],
  ['the sequencer never finds it', { receivedAt: CURSOR, isIndexed: false }, 'missing'],
])('a row is judged: %s', (_name, row, status) => {
  const facts = { isLogged: false, isChanged: false, isIndexed: true, receivedAt: CURSOR };
  expect(statusOf({ ...facts, ...row }, { cursor: CURSOR, now: NOW })).toBe(status);
});

/** Returns numbers below `limit` that are the same in every run. */
function randomNumbers(seed: number) {
  let state = seed;
  return (limit: number): number => {
    state = createHash('sha256').update(String(state)).digest().readUInt32BE();
    return state % limit;
  };
}

/** A row as somebody left it, or who writes the table made it. */
function randomEntry(random: (limit: number) => number): Entry {
  const receivedAt = TIMES[random(TIMES.length)] as number;
  const made = { ...newEntry(receivedAt), entryId: `${random(1e9)}` };
  const stored = { ...made, ...arrivalKeys(made) };
  const changes: (() => object)[] = [
    () => ({}),
    () => ({}),
    () => ({ locale: 'fr' }),
    () => ({ arrival: undefined }),
    () => ({ slot: undefined }),
    () => ({ arrival: Buffer.alloc(38) }),
    () => arrivalKeysOf(receivedAt + 1, entryHashOf(entryPreimage(made))),
    () => arrivalKeysOf(receivedAt, createHash('sha256').update('another').digest()),
  ];
  return { ...stored, ...changes[random(changes.length)]?.() };
}

test.each([1, 2, 3, 4])('many rows are judged as each one is (seed %i)', async (seed) => {
  const random = randomNumbers(seed);
  const progress: Progress = { cursor: random(4) === 0 ? 0 : CURSOR, now: NOW };
  const rows = Array.from({ length: 200 }, () => randomEntry(random)).map((entry) => ({
    entry,
    keys: rowKeysOf(entry),
  }));
  const leaves = rows.flatMap(({ keys }) => {
    const hashes = [keys.entryHash, keys.stored?.entryHash].filter((hash) => hash !== undefined);
    return hashes.filter(() => random(3) === 0);
  });
  const log = [...leaves, ...leaves.slice(0, 5), createHash('sha256').update('nobody').digest()];

  const engine = await openEngine();
  const addLeaves = await engine.table('leaf', { idx: 'BIGINT', hash: 'BINARY' });
  await engine.table('announced', { hash: 'BINARY' });
  const addRows = await engine.table('compared', {
    id: 'VARCHAR',
    hash: 'BINARY',
    received_at: 'BIGINT',
    is_changed: 'BOOLEAN',
    is_indexed: 'BOOLEAN',
  });
  await addLeaves(log.map((hash, idx) => ({ idx, hash })));
  await addRows(
    rows.map(({ entry, keys }) => ({
      id: entry.entryId,
      hash: keys.entryHash,
      received_at: keys.receivedAt,
      is_changed: keys.stored !== undefined,
      is_indexed: keys.isIndexed,
    })),
  );
  await compareLog(engine);
  await compareRows(engine, progress);
  const placed = await Array.fromAsync(
    engine.read<{ id: string; status: string; index: number | null }>('SELECT id, status, idx AS index FROM placed'),
  );
  const withoutRow = await Array.fromAsync(engine.read<{ hash: Uint8Array }>('SELECT hash FROM without_row'));
  engine.close();

  const indexOf = (hash: Uint8Array) => log.findIndex((one) => one.equals(hash));
  const placeOf = placeFinder({
    head: { cursor: progress.cursor, size: 1, looked: 0 } as never,
    checkpoint: { size: 1 } as never,
    now: NOW,
    find: async (hash) => (indexOf(hash) < 0 ? undefined : indexOf(hash)),
  });
  const single = await Promise.all(
    rows.map(async ({ entry, keys }) => {
      const place = await placeOf(keys);
      return { id: entry.entryId, status: place.status, index: place.status === 'logged' ? place.index : null };
    }),
  );
  const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
  expect(placed.sort(byId)).toEqual(single.sort(byId));
  expect(new Set(single.map(({ status }) => status)).size).toBe(4);
  const own = new Set(rows.map(({ keys }) => keys.entryHash?.toString('hex')));
  const expected = new Set(log.map((hash) => hash.toString('hex')).filter((hash) => !own.has(hash)));
  expect(new Set(withoutRow.map(({ hash }) => Buffer.from(hash).toString('hex')))).toEqual(expected);
});

test('nobody knows how far a log has come whose head is claimed and not published', async () => {
  const receivedAt = CURSOR - 20 * MINUTE_MS;
  const placeIn = (size: number) =>
    placeFinder({
      head: { cursor: CURSOR, size: 1, looked: 0 },
      checkpoint: { size },
      now: NOW,
      find: async () => undefined,
    })({ entryHash: Buffer.alloc(32), isIndexed: true, receivedAt });
  expect([await placeIn(0), await placeIn(1)]).toEqual([{ status: 'pending' }, { status: 'missing', why: 'waiting' }]);
});

test.each([
  [NOW, 'waiting'],
  [NOW + 1, 'ahead'],
])('an entry received at %d is %s', (receivedAt, why) => {
  expect(whyMissing({ isIndexed: true, receivedAt }, { now: NOW, looked: 0 })).toBe(why);
});
