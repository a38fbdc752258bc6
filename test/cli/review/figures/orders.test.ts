import { describe, expect, test } from 'vitest';
import type { ReviewLimits } from '../../../../cli/review/figures/makeFigures.ts';
import { percent } from '../../../../cli/review/figures/reviewTeams.ts';
import { type Log, reviewOf, rowOf, T0, type TestOrder } from './review.ts';

const log = (uid: string, second: number, orderId?: number, received?: number): Log => ({
  ...{ uid, second, orderId },
  ...(received !== undefined && { received }),
});

const order = (...values: [uid: string, second: number, orderId: number, cancelled?: boolean]): TestOrder => values;
const secondOf = (time: string | null | undefined) => (Date.parse(time as string) - T0) / 1000;

/** Reviews cases of one team each. */
async function reviewCases(cases: readonly { logs: readonly number[]; orders: readonly number[]; names?: boolean }[]) {
  const logs = cases.flatMap(({ logs, names }, n) =>
    logs.map((second) => log(String(n), second, names ? n + 1 : undefined)),
  );
  const orders = cases.flatMap(({ orders }, n) =>
    orders.map((second, index): TestOrder => [String(n), second, n + 1 + index * 1000]),
  );
  return reviewOf(logs, { orders, limits: { since: T0 - 1000_000, until: T0 + 10_000_000 } });
}

test('the timing of an order follows from its earliest log, or from any log near it', async () => {
  // The seconds of the logs that name an order at T0, and its timing.
  const named: readonly (readonly [number[], string, number | null])[] = [
    [[60], 'in time', 60],
    [[60.001], 'late', 60.001],
    [[-30], 'in time', -30],
    [[-30.001], 'early', -30.001],
    [[500, 10, 90], 'in time', 10],
    [[], 'no log', null],
  ];
  // The seconds of a log that names nothing, and the timing of an order at T0.
  const near: readonly (readonly [number, string])[] = [
    [-60, 'not named'],
    [-60.001, 'no log'],
    [60, 'not named'],
    [60.001, 'no log'],
    [0, 'not named'],
  ];
  const { orderList } = await reviewCases([
    ...named.map(([logs]) => ({ logs, orders: [0], names: true })),
    ...near.map(([second]) => ({ logs: [second], orders: [0] })),
  ]);
  const found = new Map(orderList.map(({ uid, timing, delaySeconds }) => [uid, [timing, delaySeconds]]));
  expect([...found].sort(([a], [b]) => Number(a) - Number(b)).map(([, one]) => one)).toEqual([
    ...named.map(([, timing, delay]) => [timing, delay]),
    ...near.map(([, timing]) => [timing, null]),
  ]);
});

test('a log is not later than its receipt: the clock of a team may be ahead', async () => {
  const logs = [log('1', 75, 7, 59), log('2', 75, 8, 61), log('3', 75, 9, 90), log('3', 80, 9, 50)];
  const { orderList, of } = await reviewOf(logs, { orders: [order('1', 0, 7), order('2', 0, 8), order('3', 0, 9)] });
  expect(orderList.map(({ timing, delaySeconds }) => [timing, delaySeconds])).toEqual([
    ['in time', 59],
    ['late', 61],
    ['in time', 50],
  ]);
  expect(orderList.map(({ log }) => secondOf(log?.signed))).toEqual([75, 75, 75]);
  expect([of('1').medianDelaySeconds, of('1').late]).toEqual([59, 0]);
});

test('a log belongs to an order of the period up to seven days after its end', async () => {
  const week = 7 * 86_400;
  const logs: Log[] = [3, 4].map((id) => ({ uid: '1', second: 10 + week + id - 4, orderId: id }));
  const { of } = await reviewOf(logs, {
    orders: [
      ['1', 5, 3],
      ['1', 5, 4],
    ],
    limits: { until: T0 + 10_000 },
  });
  expect([of('1').late, of('1').ordersWithoutLog]).toEqual([1, 1]);
});

test('the delays of a team: median and 95th percentile by nearest rank, late and early', async () => {
  const delays = [4000, -10, 61, ...Array.from({ length: 16 }, (_, index) => 16 - index), -400];
  const logs = delays.map((delay, index) => log('1', index * 10_000 + delay, index + 1));
  const orders = delays.map((_, index): TestOrder => ['1', index * 10_000, index + 1]);
  const { of } = await reviewOf([...logs, log('2', 4000, 90)], {
    orders: [...orders, ['1', 999_999, 999], ['2', 0, 90], ['3', 5, 91]],
  });
  expect(of('1')).toMatchObject({ medianDelaySeconds: 8, p95DelaySeconds: 61, late: 2, early: 1, ordersWithLog: 20 });
  expect(of('2')).toMatchObject({ medianDelaySeconds: 4000, p95DelaySeconds: 4000, late: 1, early: 0 });
  expect(of('3')).toMatchObject({ medianDelaySeconds: null, p95DelaySeconds: null, late: 0, ordersWithoutLog: 1 });
});

test('of 100 delays the 95th, and of two teams the one with fewer logs for each order', async () => {
  const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
  const logs = [
    ...hundred.map((n) => log('1', n * 1000 + n, n)),
    ...Array.from({ length: 201 }, (_, n) => log('2', n)),
  ];
  const orders = hundred
    .map((n) => order('1', n * 1000, n))
    .concat(hundred.slice(60).map((n) => order('2', n, n + 900)));
  const { of } = await reviewOf(logs, { orders });
  expect([of('1').medianDelaySeconds, of('1').p95DelaySeconds]).toEqual([50, 95]);
  expect(of('2').lookAt).toContain('many logs');
});

test('the coverage of orders: with a log, with one near, without any, named by others only, and cancelled', async () => {
  const logs = [log('1', 0), log('1', 100, 7), log('1', 400), log('2', 160, 8), log('3', 170, 8), log('2', 101, 7)];
  const placed = [order('1', 100, 7), order('1', 150, 8), order('1', 250, 9), order('1', 461, 6)];
  const orders = [...placed, order('1', 300, 5, true)];
  for (const twice of [false, true]) {
    const { of, orderList } = await reviewOf(logs, { orders, twice });
    expect(of('1')).toMatchObject({ orders: 4, ordersWithLog: 1, coveragePercent: 25, ordersOnlyNear: 1 });
    expect(of('1')).toMatchObject({ ordersWithoutLog: 2, ordersOnlyOthers: 1, foreignOrders: 0 });
    const [first, second] = orderList;
    expect(first).toMatchObject({ orderId: '7', logBefore: null, logAfter: null, namedByOthers: ['2'] });
    expect([second?.logBefore, second?.logAfter].map((one) => secondOf(one?.signed))).toEqual([100, 400]);
    expect(second?.namedByOthers).toEqual(['2', '3']);
  }
});

test('of logs that were signed at the same time, the last is before an order, and the first after it', async () => {
  const logs = [log('1', 10), log('1', 10), log('1', 90), log('1', 90)].map(rowOf);
  const ids = logs.map(({ entry_id }) => entry_id);
  const { orderList } = await reviewOf(logs, { orders: [['1', 50, 7]] });
  const [last, first] = [ids.slice(0, 2).sort()[1], ids.slice(2).sort()[0]];
  expect(orderList).toMatchObject([{ logBefore: { entryId: last }, logAfter: { entryId: first } }]);
});

test('18-digit order ids keep every digit', async () => {
  const ids = ['590480926522704171', '590480926522704172', '9223372036854775807'];
  const { orderList } = await reviewOf([{ uid: '1', second: 5, orderId: ids[1] }], {
    orders: ids.map((id): TestOrder => ['1', 0, id]),
  });
  expect(orderList.map(({ orderId }) => orderId)).toEqual(ids);
  expect(orderList.map(({ timing }) => timing)).toEqual(['not named', 'in time', 'not named']);
});

describe('child orders', () => {
  /** An order of a case: its second, side, symbol, size and price. The log names the first one. */
  type Placed = readonly [second: number, side?: string, symbol?: string, size?: number, price?: number];
  const MINUTE = 60;

  // biome-ignore format: one case a line
  const cases: readonly (readonly [string, readonly Placed[], string, Partial<ReviewLimits>?])[] = [
    ['slices of the same side, each minutes after the one before', [[0], [600], [1200], [1800]], '123'],
    ['a slice too late, and those after it', [[0], [600], [1200.001], [1300]], '1'],
    ['stop and target, at once on the other side', [[0], [0, 'sell'], [-0.5, 'sell']], '12'],
    ['the other side, minutes after the parent only', [[0], [600, 'sell'], [601, 'sell']], '1'],
    ['another symbol, seconds after the parent', [[0], [2.001, 'buy', 'ETH'], [3, 'sell', 'ETH']], ''],
    ['other symbols, at once', [[0], [2, 'buy', 'ETH'], [-0.5, 'sell', 'SOL']], '12'],
    ['symbols and sides in other case', [[0], [1, 'BUY', 'btc']], '1'],
    ['orders before the parent', [[0], [-2]], ''],
    ['orders without a symbol or side', [[0], [1, '', 'BTC'], [2, 'buy', '']], ''],
    ['no slices of what belongs to the parent at once', [[0], [1, 'buy', 'ETH'], [600, 'buy', 'ETH']], '1'],
    ['within a gap that is given', [[0], [601], [1300]], '1', { childGap: 11 * MINUTE * 1000 }],
    ['ten times the size of the parent, and no more', [[0, 'buy', 'BTC', 0.5], [1, 'buy', 'BTC', 5], [2, 'sell', 'BTC', 5.01], [3, 'buy', 'BTC', 5.01]], '1'],
    ['any size, if one of the two is not known', [[0, 'buy', 'BTC', 0], [1, 'buy', 'BTC', 5], [2, 'buy', 'BTC']], '12'],
    ['ten times the value in another symbol, if prices are known', [[0, 'buy', 'BTC', 1, 100], [1, 'buy', 'ETH', 100, 10], [1, 'buy', 'SOL', 101, 10], [1, 'buy', 'XRP', 9000]], '13'],
    ['none without a gap', [[0], [0], [1]], '', { childGap: 0 }],
  ];
  /** Reviews the cases with some limits, each as a team whose orders have ids of its own. */
  const reviewTeams = (limits: Partial<ReviewLimits> = {}) =>
    reviewOf(
      cases.map((_case, team) => log(String(team), 9000, team * 100 + 1)),
      {
        limits,
        orders: cases.flatMap(([, placed], team) =>
          placed.map(
            ([second, side = 'buy', symbol = 'BTC', size, price], n): TestOrder => [
              ...([String(team), second + 9000, team * 100 + n + 1, false] as const),
              ...([symbol || undefined, side || undefined, size, price] as const),
            ],
          ),
        ),
      },
    );

  test('are these', async () => {
    const reviews = new Map<string, ReturnType<typeof reviewTeams>>();
    for (const [team, [name, placed, children, limits]] of cases.entries()) {
      const key = JSON.stringify(limits);
      const review = reviews.get(key) ?? reviewTeams(limits);
      reviews.set(key, review);
      const { orderList, of } = await review;
      const found = orderList.filter(({ uid, timing }) => uid === String(team) && timing === 'child order');
      const places = found.map(({ orderId }) => Number(orderId) - team * 100 - 1);
      expect([name, places.sort().join('')]).toEqual([name, children]);
      expect(found.every(({ parentOrder }) => parentOrder === String(team * 100 + 1))).toBe(true);
      const { childOrders, parentOrders, ordersWithLog, coveragePercent } = of(String(team));
      expect([childOrders, parentOrders, ordersWithLog]).toEqual([children.length, Math.min(1, children.length), 1]);
      expect(coveragePercent).toBe(percent(1, placed.length - children.length));
    }
  });

  test('belong to the last parent, need no log, and begin no silence', async () => {
    const slices = (start: number, first: number) =>
      Array.from({ length: 20 }, (_, n): TestOrder => ['1', start + n * 480, first + n, false, 'BTC', 'buy']);
    const orders = [...slices(0, 100), ...slices(10_000, 200)];
    const { orderList, of } = await reviewOf([log('1', 0, 100), log('1', 10_000, 200)], { orders });
    expect(orderList.map(({ parentOrder }) => parentOrder)).toEqual(
      [100, 200].flatMap((parent) => [null, ...Array(19).fill(String(parent))]),
    );
    expect(of('1')).toMatchObject({ childOrders: 38, parentOrders: 2, coveragePercent: 100, silences: [], lookAt: [] });
    const without = await reviewOf([log('1', 0, 100), log('1', 10_000, 200)], { orders, limits: { childGap: 0 } });
    expect(without.of('1').lookAt).toEqual(['no log near', 'few named', 'silent']);
  });

  test('that are too big for the last parent belong to one before whose size they have, and are measured by it', async () => {
    const sizes = [2, 4, 0.01, 4];
    const orders = sizes.map(
      (size, n): TestOrder => ['1', n * 100, n + 1, false, 'BTC', n === 2 ? 'sell' : 'buy', size],
    );
    const { orderList, of } = await reviewOf([log('1', 0, 1), log('1', 200, 3)], { orders });
    expect(orderList.map(({ parentOrder }) => parentOrder)).toEqual([null, '1', null, '1']);
    expect(of('1')).toMatchObject({ childOrders: 2, parentOrders: 1, childVolume: 4 });
  });

  test('belong to a parent that was cancelled, and come after others that were, which do not count', async () => {
    const seconds = [...Array.from({ length: 60 }, (_, n) => n), 600, 1200];
    const orders = seconds.map((second, n): TestOrder => ['1', second, n + 1, second < 60, 'BTC', 'buy']);
    const { orderList, of } = await reviewOf([log('1', 0, 1)], { orders });
    expect(orderList.map(({ orderId, parentOrder }) => [orderId, parentOrder])).toEqual([
      ['61', '1'],
      ['62', '1'],
    ]);
    expect(of('1')).toMatchObject({ orders: 2, childOrders: 2, parentOrders: 1, ordersWithLog: 0, lookAt: [] });
  });

  test('are 50 of one parent at most, the same in every period', async () => {
    const orders = Array.from({ length: 60 }, (_, n): TestOrder => ['1', n * 480, n + 1, false, 'BTC', 'buy']);
    for (const [first, end, lookAt] of [
      [9, 19, []],
      [44, 60, ['no log near', 'few named', 'silent']],
    ] as const) {
      const limits = { since: T0 + (first * 480 - 1) * 1000, until: T0 + (end * 480 - 1) * 1000 };
      const { orderList, of } = await reviewOf([log('1', 0, 1), log('2', 5000)], { orders, limits });
      expect(orderList.map(({ parentOrder }) => parentOrder)).toEqual(
        orders.slice(first, end).map(([, , id]) => (Number(id) <= 51 ? '1' : null)),
      );
      expect(of('1').lookAt).toEqual(lookAt);
    }
  });
});

test('silences begin with an order and end with a log or with the period', async () => {
  // biome-ignore format: one case a line
  const cases: readonly (readonly [string, number[], number[], number[][]])[] = [
    ['a pause without orders is none', [0, 9000], [0, 9000], []],
    ['from the first order to the next log', [0, 9000], [1000, 2000, 9000], [[1000, 9000, 2]]],
    ['to the end of the period after the last log', [0], [500, 600], [[500, 10_000, 2]]],
    ['from the first order if there are no logs', [], [100, 9000], [[100, 10_000, 2]]],
    ['an order shortly after a log begins none', [100], [160], []],
    ['a millisecond later it does', [100], [160.001], [[160.001, 10_000, 1]]],
    ['the longest first', [500, 5000], [100, 1000], [[1000, 5000, 1], [100, 500, 1]]],
    ['not beyond the period', [20_000], [100], [[100, 10_000, 1]]],
  ];
  const { of } = await reviewCases(cases.map(([, logs, orders]) => ({ logs, orders })));
  for (const [n, [name, , , expected]] of cases.entries()) {
    const found = of(String(n)).silences.map(({ from, until, orders }) => [secondOf(from), secondOf(until), orders]);
    expect([name, ...found]).toEqual([name, ...expected]);
  }
});

test('without orders, pauses count from the start to the end of the period', async () => {
  const period = { since: T0, until: T0 + 10_000_000 };
  const seconds = { 1: [1, 4], 2: [-5, 10_001], 3: [0, 1, 1, 10_000] };
  const logs = Object.entries(seconds).flatMap(([uid, ofTeam]) => ofTeam.map((second) => log(uid, second)));
  const { of } = await reviewOf(logs, { limits: period });
  expect(of('1').silences.map(({ seconds }) => seconds)).toEqual([9996, 3, 1]);
  // Logs outside the period do not end a pause in it, and two logs at the same time have no pause between them.
  expect(of('2').silences).toMatchObject([{ seconds: 10_000, orders: 0 }]);
  expect(of('3').silences.map(({ seconds }) => seconds)).toEqual([9999, 1]);
  const before = await reviewOf(logs, { limits: { until: T0 - 10_000 } });
  expect(before.of('1').silences).toEqual([]);
});

test('the 20 longest silences are kept, the earlier ones of those that are equal', async () => {
  const pauses = (await reviewOf(Array.from({ length: 30 }, (_, n) => log('1', n * (n + 1))))).of('1').silences;
  expect([pauses.length, pauses[0]?.seconds, pauses[19]?.seconds]).toEqual([20, 58, 20]);
  const places = Array.from({ length: 30 }, (_, n) => n * 1000);
  const { of } = await reviewOf(
    places.map((second) => log('1', second + 500)),
    { orders: places.map((second, n): TestOrder => ['1', second, n + 1]) },
  );
  expect(of('1').silences.map(({ from }) => secondOf(from))).toEqual(places.slice(0, 20));
});

describe('orders that several teams name', () => {
  const logs = [log('1', 10, 7), log('2', 5, 7), log('2', 6, 7), log('1', 20, 8), log('3', 30, 9), log('3', 31)];
  const claimsOf = ({ contested }: Awaited<ReturnType<typeof reviewOf>>) =>
    contested.map(({ orderId, owner, claims }) => [
      orderId,
      owner,
      ...claims.map(({ uid, logs }) => `${uid}: ${logs}`),
    ]);

  test('are listed with the earliest log first, and count for those who did not place them', async () => {
    const review = await reviewOf(logs, { orders: [7, 8, 9].map((id) => order('1', 0, id)) });
    expect(claimsOf(review)).toEqual([
      ['7', '1', '2: 2', '1: 1'],
      ['9', '1', '3: 1'],
    ]);
    expect(['1', '2', '3'].map((uid) => review.of(uid).foreignOrders)).toEqual([0, 1, 1]);
  });

  test('count if they were placed in the period, or if a log of the period names them', async () => {
    const orders = [order('1', 0, 7), order('1', 0, 9), order('1', 26, 10), order('2', 40, 11)];
    const named = [...logs, log('2', 24, 10), log('3', 24, 11)];
    const { contested, of } = await reviewOf(named, { orders, limits: { since: T0 + 25_000, until: T0 + 35_000 } });
    expect(contested.map(({ orderId }) => orderId)).toEqual(['9', '10']);
    expect(['1', '2', '3'].map((uid) => of(uid).foreignOrders)).toEqual([0, 1, 1]);
  });

  test('count for all of them if nobody knows who placed them', async () => {
    const review = await reviewOf(logs);
    expect(claimsOf(review)).toEqual([['7', null, '2: 2', '1: 1']]);
    expect(['1', '2', '3'].map((uid) => review.of(uid).foreignOrders)).toEqual([1, 1, 0]);
  });

  test('are first named in the log that was received first, whatever time it was signed with', async () => {
    const late = [log('2', 1, 5, 30), log('2', 29, 5, 29), log('1', 31, 5, 6)];
    const { contested } = await reviewOf(late);
    expect(contested[0]?.claims.map(({ uid, receivedAt }) => [uid, (receivedAt - T0) / 1000])).toEqual([
      ['1', 6],
      ['2', 29],
    ]);
  });
});
