import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeTeam } from '../../../cli/analysis/describeTeam.ts';
import { readContent } from '../../../cli/analysis/logContent.ts';
import { factsOf } from '../../../cli/analysis/logFacts.ts';
import { orderRows, overviewRow } from '../../../cli/analysis/overview.ts';
import { createReview } from '../../../cli/analysis/reviewTeams.ts';
import { log, order } from './logs.ts';

const LIMITS = { within: 60_000, tolerance: 30_000 };

/** The report on team 1: each order with the second of its log, and team 2, which names some of its orders. */
const review = createReview(LIMITS);
const logs = [
  log('1', 1010, '1'), // in time
  log('1', 2961, '3'), // early, by 39 s
  log('1', 4000.9, '4'), // in time, in less than a second
  log('1', 4999.5, '5'), // in time, half a second before its order
  log('1', 7100, '2'), // late, by 5100 s
  log('1', 9000), // names none, 30 s after an order
  log('2', 9100, '6'),
  log('2', 9200, '7'),
  log('2', 9300, '1'),
];
for (const [index, one] of logs.entries()) {
  const body = JSON.stringify({ input: { index }, output: { text: 'x'.repeat(index + 1) } });
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  review.add({ ...one, model: 'GPT-5', stage: 'Decision' }, () => factsOf({ ...one, bodySha256 }, readContent(body)));
}
const orders = [1000, 2000, 3000, 4000, 5000, 8970, 9900, 9950].map((at, n) => order('1', at, String(n + 1)));
const [team] = review.review(['1'], orders).teams.map((one) => describeTeam(one, undefined, LIMITS));
if (!team) throw new Error('There is no team.');

const idOf = (second: number, orderId?: string) => log('1', second, orderId).entryId;

test('the orders to look at: those without a log first, then by the size of the delay', () => {
  expect(orderRows([team]).map((row) => Object.values(row))).toEqual([
    ['1', '7', '2025-11-17T02:45:00Z', 'only named by UID 2', '–', `15 min: ${idOf(9000)}`, undefined],
    ['1', '8', '2025-11-17T02:45:50Z', 'no log', '–', `15 min 50 s: ${idOf(9000)}`, undefined],
    ['1', '2', '2025-11-17T00:33:20Z', 'late', '1 h 25 min', undefined, undefined],
    ['1', '3', '2025-11-17T00:50:00Z', 'early', '−39 s', undefined, undefined],
    ['1', '1', '2025-11-17T00:16:40Z', 'named by UID 2', '10 s', undefined, undefined],
    [
      '1',
      '6',
      '2025-11-17T02:29:30Z',
      'not named, named by UID 2',
      '–',
      `31 min 10 s: ${idOf(7100, '2')}`,
      `30 s: ${idOf(9000)}`,
    ],
  ]);
});

test('a delay of less than a second has no sign', () => {
  const row = overviewRow({ ...team, medianDelaySeconds: -0.5, p95DelaySeconds: -1 });
  expect([row.median, row.p95]).toEqual(['0 s', '−1 s']);
});

test('the figures of the orders', () => {
  expect(overviewRow(team)).toEqual({
    uid: '1',
    team: undefined,
    status: 'not listed',
    entries: 6,
    orders: 8,
    covered: '62.5 %',
    'no log near': 2,
    median: '0 s',
    p95: '1 h 25 min',
    late: 1,
    early: 1,
    silence: '16 min 1 s',
    repeats: 0,
    copies: 0,
    "others' orders": 0,
    complete: 5,
    'look at': 'late, early, no log near',
  });
  expect(team).toMatchObject({ ordersOnlyNear: 1, ordersOnlyOthers: 2, late: 1, early: 1 });
});
