import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../../../cli/local/demo/random.ts';
import { findLeaders } from '../../../../cli/review/rows/near.ts';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import { FEATURE_COLUMNS, type FeatureRow } from '../../../../functions/features/featureRow.ts';
import { rowOf } from '../figures/review.ts';

/** Returns the row of a text with a signature, received at a time. */
function textRow(text: number, receivedAt: number, signature: Uint8Array): FeatureRow {
  const bytes = Buffer.from(signature);
  const parts = Array.from({ length: 16 }, (_, n) => [`s${n}`, bytes.readBigInt64BE(n * 8)]);
  const base = rowOf({ uid: '1', second: 0 });
  const texts = { entry_id: `${receivedAt}-${text}`, text_digest: BigInt(text), received_at: BigInt(receivedAt) };
  return { ...base, ...texts, comparable: true, ...Object.fromEntries(parts) };
}

/** Returns a signature of which the last places are another's. */
const signature = (own: number, other = own, places = 0) =>
  Uint8Array.from({ length: 128 }, (_, place) => (place < 128 - places ? own : other));

/** Finds the leaders of rows that come in several batches, each time with what is known by then. */
async function leadersOf(batches: readonly (readonly FeatureRow[])[]) {
  const engine = await openEngine({ threads: 1 });
  try {
    const add = await engine.table('entries', FEATURE_COLUMNS);
    for (const [n, batch] of batches.entries()) {
      await add(batch);
      await engine.run(`CREATE OR REPLACE TABLE before AS ${n === 0 ? 'SELECT 1 AS nothing' : 'SELECT * FROM near'}`);
      await findLeaders(engine, n === 0 ? undefined : 'SELECT * FROM before');
    }
    return await Array.fromAsync(
      engine.read<{ text_digest: number; leader: number | null; places: number | null }>(
        'SELECT * FROM near ORDER BY text_digest',
      ),
    );
  } finally {
    engine.close();
  }
}

const leaderOf = async (rows: readonly FeatureRow[]) => (await leadersOf([rows])).map(({ leader }) => leader);

test('the leader of a text is the earliest text with a band and half of the places in common', async () => {
  const texts = [signature(1), signature(1, 2, 64), signature(1, 3, 65), signature(9)];
  expect(await leaderOf(texts.map((one, n) => textRow(n, n, one)))).toEqual([null, 0, null, null]);
  // By digest if they were received at the same time, in whatever order they come.
  const tied = Array.from({ length: 12 }, (_, n) =>
    textRow(1 + (((n + 1) * 7_919_000_001) % 2 ** 33), 0, signature(1)),
  );
  const first = Math.min(...tied.map(({ text_digest }) => Number(text_digest)));
  for (const order of [tied, tied.toReversed()]) expect(new Set(await leaderOf(order))).toEqual(new Set([null, first]));
  const [second] = (await leadersOf([[textRow(9, 5, signature(1))], [textRow(3, 5, signature(1))]])).toReversed();
  expect(second).toMatchObject({ text_digest: 9, leader: 3 });
  // Received the other way round.
  expect(await leaderOf(texts.map((one, n) => textRow(n, 9 - n, one)))).toEqual([1, null, null, null]);
});

test('texts with half of the places meet in any of the 32 bands', async () => {
  // Text by text, two share a band. All share half of the places, of which none is a band.
  const rows = Array.from({ length: 64 }, (_, n) =>
    textRow(
      n,
      n,
      Uint8Array.from({ length: 128 }, (_, place) => (place >> 2 === n >> 1 || place % 4 < 2 ? 255 : n)),
    ),
  );
  expect(await leaderOf(rows)).toEqual(rows.map((_, n) => (n % 2 === 0 ? null : n - 1)));
});

test('half of the places without a band in common is not enough, and a text that is too short is no text', async () => {
  const odd = Uint8Array.from({ length: 128 }, (_, place) => (place % 2 === 0 ? 1 : 2));
  expect(await leaderOf([textRow(0, 0, signature(1)), textRow(1, 1, odd)])).toEqual([null, null]);
  const short = { ...textRow(0, 0, signature(1)), comparable: false };
  expect(await leaderOf([short, textRow(1, 1, signature(1)), textRow(2, 2, signature(1))])).toEqual([null, 1]);
});

test.each([
  [15, 15],
  [16, null],
])('of a bucket, the first 16 texts are compared, also one that comes later: number %i', async (of, leader) => {
  // All share the first band. The last one shares half of the places of another too, and no other band.
  const places = (n: number, other: number) =>
    Uint8Array.from({ length: 128 }, (_, place) => (place < 4 ? 7 : 50 + (place % 4 < 2 ? other : n)));
  const rows = Array.from({ length: 18 }, (_, n) => textRow(n, n, places(n, n === 17 ? of : n)));
  const twice = rows.flatMap((row) => [row, row]);
  for (const batches of [[rows], [twice], [rows.toSpliced(of, 1), rows.slice(of, of + 1)]])
    expect((await leadersOf(batches)).at(17)).toMatchObject({ text_digest: 17, leader });
});

test('a later leader among the first of a bucket hides no earlier one further down another bucket', async () => {
  const sharing = (n: number, shared: (place: number) => boolean) =>
    Uint8Array.from({ length: 128 }, (_, place) => (shared(place) ? 9 : 50 + n));
  const signatures = [
    sharing(0, (place) => place < 4),
    sharing(1, (place) => place < 4),
    // The third of the first bucket, with half of the places.
    sharing(2, (place) => place < 4 || place % 4 < 2),
    // The first of the last bucket, with half of the places.
    sharing(3, (place) => place >= 124 || place % 4 >= 2),
    sharing(4, () => true),
  ];
  const rows = signatures.map((one, n) => textRow(n, n, one));
  expect(await leaderOf(rows)).toEqual([null, null, null, null, 2]);
  expect(await leaderOf(rows.toSpliced(2, 1))).toEqual([null, null, null, 3]);
});

test('the places that two parts of signatures share are counted byte by byte, with the sign', async () => {
  const [one, other] = [new Uint8Array(128), new Uint8Array(128)];
  for (let place = 0; place < 128; place += 1) {
    one[place] = (place * 37) % 256;
    other[place] = place % 8 < 5 ? (one[place] as number) : (one[place] as number) ^ (1 << (place % 8));
  }
  const [, second] = await leadersOf([[textRow(1, 1, one), textRow(2, 2, other)]]);
  expect(second).toMatchObject({ leader: 1, places: 80 });
});

/** Returns texts of several families, whose members share many or few places, with hidden ties in time. */
function families(random: Random, count: number): FeatureRow[] {
  const heads = Array.from({ length: 6 }, () => Uint8Array.from({ length: 128 }, () => random.between(0, 255)));
  return Array.from({ length: count }, (_, text) => {
    const changed = random.between(0, 90);
    const from = random.between(0, 128 - changed);
    const places = (random.pick(heads) as Uint8Array).map((byte, place) =>
      place >= from && place < from + changed ? random.between(0, 255) : byte,
    );
    return textRow(text, random.between(0, 300), places);
  });
}

test('the leaders are the same in whatever order and batches the texts come', async () => {
  const random = createRandom('near');
  // Buckets get longer than the texts that are compared in them.
  const rows = families(random, 60);
  const again = rows
    .slice(0, 30)
    .map((row) => ({ ...row, entry_id: `${row.entry_id}x`, received_at: row.received_at - 40n }));
  const all = [...rows, ...again];
  const whole = await leadersOf([all]);
  expect(whole.filter(({ leader }) => leader !== null).length).toBeGreaterThan(20);
  for (const batches of [2, 4]) {
    const shuffled = random.shuffle(all);
    const size = Math.ceil(all.length / batches);
    const parts = Array.from({ length: batches }, (_, n) => shuffled.slice(n * size, (n + 1) * size));
    expect(await leadersOf(parts)).toEqual(whole);
  }
});
