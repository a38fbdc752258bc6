import { describe, expect, test } from 'vitest';
import { measureCoverage, reviewOrders } from '../../../cli/analysis/coverage.ts';
import { delayOf, measureDelays, timingOf } from '../../../cli/analysis/delay.ts';
import { collectClaims, countForeign, findContestedOrders } from '../../../cli/analysis/orderClaims.ts';
import { findPauses, findSilences } from '../../../cli/analysis/silence.ts';
import { log, order, T0 } from './logs.ts';

const LIMITS = { within: 60_000, tolerance: 30_000 };
const nobody = () => [];

describe('the delay of an order', () => {
  // biome-ignore format: one case a line
  test.each([
    ['at the limit', [60], 60_000, 'in time'],
    ['a millisecond later', [60.001], 60_001, 'late'],
    ['before the order, within the clocks', [-30], -30_000, 'in time'],
    ['a millisecond earlier', [-30.001], -30_001, 'early'],
    ['the earliest of several', [500, 10, 90], 10_000, 'in time'],
    ['no log', [], undefined, 'no log'],
  ])('%s', (_name, seconds, delay, timing) => {
    const logs = seconds.map((second) => log('1', second, '7')).sort((a, b) => a.signedAt - b.signedAt);
    const [reviewed] = reviewOrders([order('1', 0, '7')], logs, nobody);
    expect(reviewed && [delayOf(reviewed), timingOf(reviewed, LIMITS)]).toEqual([delay, timing]);
  });

  test('of a team: median and 95th percentile by nearest rank, late and early', () => {
    const delays = [4000, -10, 61, ...Array.from({ length: 16 }, (_, index) => 16 - index), -400];
    const orders = delays.map((_, index) => order('1', index * 10_000, String(index + 1)));
    const logs = delays.map((delay, index) => log('1', index * 10_000 + delay, String(index + 1)));
    const reviewed = reviewOrders([...orders, order('1', 999_999, '999')], logs, nobody);
    expect(measureDelays(reviewed, LIMITS)).toEqual({ median: 8000, p95: 61_000, late: 2, early: 1 });
    expect(measureDelays([], LIMITS)).toStrictEqual({ late: 0, early: 0 });
    const [first] = reviewed;
    expect(first && measureDelays([first], LIMITS)).toEqual({ median: 4_000_000, p95: 4_000_000, late: 1, early: 0 });
  });
});

describe('the coverage of orders', () => {
  const logs = [log('1', 0), log('1', 100, '7'), log('1', 400)];
  const namedBy = (orderId: string) => (orderId === '8' ? ['2', '3'] : orderId === '7' ? ['1', '2'] : []);

  test('finds the nearest logs before and after, whatever they name', () => {
    const reviewed = reviewOrders([order('1', 150, '8'), order('1', -5, '9'), order('1', 400, '5')], logs, namedBy);
    expect(reviewed.map(({ before, after }) => [before?.signedAt, after?.signedAt])).toEqual([
      [T0 + 100_000, T0 + 400_000],
      [undefined, T0],
      [T0 + 100_000, T0 + 400_000],
    ]);
    expect(reviewed[0]?.namedByOthers).toEqual(['2', '3']);
  });

  // biome-ignore format: one case a line
  test.each([
    ['at the limit after a log', 460, 'not named'],
    ['a millisecond later', 460.001, 'no log'],
    ['at the limit before a log', -60, 'not named'],
    ['a millisecond earlier', -60.001, 'no log'],
    ['at the time of a log', 400, 'not named'],
  ])('an order %s', (_name, second, timing) => {
    const [reviewed] = reviewOrders([order('1', second, '9')], logs, nobody);
    expect(reviewed && timingOf(reviewed, LIMITS)).toBe(timing);
  });

  test('counts orders with a log, with one near, without any, and named by others only', () => {
    const orders = [order('1', 100, '7'), order('1', 150, '8'), order('1', 250, '9'), order('1', 461, '6')];
    expect(measureCoverage(reviewOrders(orders, logs, namedBy), 60_000)).toEqual({
      orders: 4,
      logged: 1,
      onlyNear: 1,
      withoutLog: 2,
      onlyOthers: 1,
    });
  });
});

describe('silences', () => {
  const period = { from: T0, until: T0 + 10_000_000 };
  const find = (signed: number[], placed: number[]) =>
    findSilences(
      signed.map((second) => T0 + second * 1000),
      placed.map((second) => T0 + second * 1000),
      { period, grace: 60_000 },
    ).map(({ from, until, orders }) => [(from - T0) / 1000, (until - T0) / 1000, orders]);

  // biome-ignore format: one case a line
  test.each([
    ['a pause without orders is none', [0, 9000], [0, 9000], []],
    ['from the first order to the next log', [0, 9000], [1000, 2000, 9000], [[1000, 9000, 2]]],
    ['to the end of the period after the last log', [0], [500, 600], [[500, 10_000, 2]]],
    ['from the first order if there are no logs', [], [100, 9000], [[100, 10_000, 2]]],
    ['an order shortly after a log begins none', [100], [160], []],
    ['a millisecond later it does', [100], [160.001], [[160.001, 10_000, 1]]],
    ['the longest first', [500, 5000], [100, 1000], [[1000, 5000, 1], [100, 500, 1]]],
    ['not beyond the period', [20_000], [100], [[100, 10_000, 1]]],
  ])('%s', (_name, signed, placed, expected) => {
    expect(find(signed, placed)).toEqual(expected);
  });

  test('without orders, pauses count from the start to the end of the period', () => {
    expect(findPauses([T0 + 1000, T0 + 4000], period).map(({ from, until }) => until - from)).toEqual([
      9_996_000, 3000, 1000,
    ]);
    expect(findPauses([], period)).toEqual([{ ...period, orders: 0 }]);
    // Logs outside the period do not end a pause in it.
    expect(findPauses([T0 - 5000, T0 - 1, period.until + 1], period)).toEqual([{ ...period, orders: 0 }]);
    // Two logs at the same time have no pause between them.
    const { from, until } = period;
    expect(findPauses([from, from + 1, from + 1, until], period)).toEqual([
      { from: from + 1, until, orders: 0 },
      { from, until: from + 1, orders: 0 },
    ]);
  });
});

describe('orders that several teams name', () => {
  const logs = [
    log('1', 10, '7'),
    log('2', 5, '7'),
    log('2', 6, '7'),
    log('1', 20, '8'),
    log('3', 30, '9'),
    log('3', 31),
  ];
  const contested = (owner: string | undefined) =>
    findContestedOrders(collectClaims(logs), (id) => (id === '7' ? owner : undefined));

  test('are listed with the earliest log first, and count for those who did not place them', () => {
    expect(contested('1')).toEqual([
      {
        orderId: '7',
        owner: '1',
        claims: [
          { uid: '2', logs: 2, first: logs[1] },
          { uid: '1', logs: 1, first: logs[0] },
        ],
      },
    ]);
    expect(['1', '2', '3'].map((uid) => countForeign(contested('1'), uid))).toEqual([0, 1, 0]);
  });

  test('are first named in the log that was received first, whatever time it was signed with', () => {
    const [copier, early, original] = [log('2', 1, '5', 30), log('2', 29, '5', 29), log('1', 31, '5', 6)];
    const [found] = findContestedOrders(collectClaims([copier, early, original]), () => undefined);
    expect(found?.claims).toEqual([
      { uid: '1', logs: 1, first: original },
      { uid: '2', logs: 2, first: early },
    ]);
  });

  test('do not include an order that only the team names that placed it', () => {
    const found = findContestedOrders(collectClaims(logs), (id) => (id === '8' ? '1' : undefined));
    expect(found.map(({ orderId }) => orderId)).toEqual(['7']);
  });

  test('count for all of them if nobody knows who placed them', () => {
    expect(contested(undefined)[0]).not.toHaveProperty('owner');
    expect(['1', '2', '3'].map((uid) => countForeign(contested(undefined), uid))).toEqual([1, 1, 0]);
  });

  test('include an order that only another team names', () => {
    const found = findContestedOrders(collectClaims(logs), (id) => (id === '9' ? '1' : undefined));
    expect(found.map(({ orderId }) => orderId)).toEqual(['7', '9']);
    expect(countForeign(found, '3')).toBe(1);
  });
});
