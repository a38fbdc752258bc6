import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readContent } from '../../../cli/analysis/logContent.ts';
import { factsOf } from '../../../cli/analysis/logFacts.ts';
import type { Order } from '../../../cli/analysis/order.ts';
import { createReview, type ReviewedLog, type ReviewLimits } from '../../../cli/analysis/reviewTeams.ts';
import { COMPARED_WORDS } from '../../../cli/analysis/words.ts';
import { log, order, T0 } from './logs.ts';
import { englishProse } from './prose.ts';

/** A log that meets all requirements. */
const complete = { model: 'GPT-5', stage: 'Decision', body: '{"input":{"n":1},"output":{"n":2}}' };

/** Changes of a log, and its body. */
type Change = Partial<Pick<ReviewedLog, 'model' | 'stage'>> & { readonly body?: string };

/** Reviews team 1, or others, with these logs. Each has a body of its own. */
function reviewOf(
  logs: readonly (readonly [ReturnType<typeof log>, Change?])[],
  { limits, uids = ['1'], orders }: { limits?: Partial<ReviewLimits>; uids?: string[]; orders?: readonly Order[] } = {},
) {
  const review = createReview({ within: 60_000, tolerance: 30_000, ...limits });
  for (const [index, [signed, change]] of logs.entries()) {
    const { body, ...named } = { ...complete, ...change };
    const bodySha256 = createHash('sha256').update(`${index}`).digest('hex');
    review.add({ ...signed, ...named }, () => factsOf({ ...signed, bodySha256 }, readContent(body)));
  }
  return review.review(uids, orders);
}

/** Returns the review of the only team. */
const teamOf = (...args: Parameters<typeof reviewOf>) => {
  const [team] = reviewOf(...args).teams;
  if (!team) throw new Error('There is no team.');
  return team;
};

/** Seconds after T0. */
const secondsOf = ({ from, until }: { from: number; until: number }) => [(from - T0) / 1000, (until - T0) / 1000];

describe('the activity of a team', () => {
  test('counts 100 models and stages by name, and all others together', () => {
    const logs = Array.from({ length: 103 }, (_, n) => [log('1', n), { model: `M${n}`, stage: `S${n}` }] as const);
    const { models, stages } = teamOf([...logs, [log('1', 200), { model: 'M0' }]]).activity;
    expect([models.size, models.get('(others)'), models.get('M0'), models.get('M99')]).toEqual([101, 3, 2, 1]);
    expect([stages.size, stages.get('(others)'), stages.get('Decision')]).toEqual([101, 4, undefined]);
  });

  test('counts names that begin with the same 200 characters as one, and days in UTC', () => {
    const name = 'x'.repeat(200);
    const { models, stages, days } = teamOf([
      [log('1', -1), { model: `${name}1`, stage: `${name}1` }],
      [log('1', 0), { model: `${name}2`, stage: `${name}2` }],
    ]).activity;
    expect([[...models], [...stages]]).toEqual([[[name, 2]], [[name, 2]]]);
    expect([...days]).toEqual([
      ['2025-11-16', 1],
      ['2025-11-17', 1],
    ]);
  });
});

// biome-ignore format: one case a line
test.each<[string, Change & { orderId?: string }, object]>([
  ['everything', { orderId: '7' }, { complete: 1 }],
  ['no order', {}, { order: 1 }],
  ['a model without a version', { orderId: '7', model: 'Claude' }, { modelVersion: 1, withoutVersionOrData: 1 }],
  ['an empty input', { orderId: '7', body: '{"input":{},"output":{"n":2}}' }, { data: 1, withoutVersionOrData: 1 }],
  ['an empty output', { orderId: '7', body: '{"input":{"n":1},"output":{}}' }, { data: 1, withoutVersionOrData: 1 }],
  ['a null', { orderId: '7', body: '{"input":null,"output":{"n":2}}' }, { data: 1, withoutVersionOrData: 1 }],
  ['a text', { orderId: '7', body: '{"input":"n","output":{"n":2}}' }, { data: 1, withoutVersionOrData: 1 }],
  ['nothing', { model: 'Claude', body: '{}' }, { modelVersion: 1, data: 1, order: 1, withoutVersionOrData: 1 }],
])('the completeness of a log with %s', (_name, { orderId, ...change }, expected) => {
  const { completeness, withOrder } = teamOf([[log('1', 0, orderId), change]]);
  const { complete, missing, withoutVersionOrData } = completeness;
  const none = { complete: 0, modelVersion: 0, data: 0, order: 0, withoutVersionOrData: 0 };
  expect({ complete, ...missing, withoutVersionOrData }).toEqual({ ...none, ...expected });
  expect(withOrder).toBe(orderId === undefined ? 0 : 1);
});

test('logs with invisible characters, and those that are compared in part, are counted', () => {
  const body = (text: string) => JSON.stringify({ input: { n: 1 }, output: { text }, explanation: 'x' });
  const hidden = body('b\u034fuy e\u034fth n\u034fow');
  const team = teamOf([
    [log('1', 0), { body: hidden }],
    [log('1', 1), { body: body('a '.repeat(COMPARED_WORDS + 1)) }],
    [log('1', 2), { body: body('plain') }],
    [log('2', 3), { body: hidden.replace('1', '2').replace('buy', 'sell') }],
  ]);
  expect([team.hiddenCharacters, team.cutTexts, team.lookAt]).toEqual([1, 1, ['hidden characters']]);
});

describe('the period of a review', () => {
  const logs = [[log('1', 100)], [log('2', 400)]] as const;
  const orders = [order('1', 50, '7'), order('2', 900, '8')];
  const MS = 0.001;

  // biome-ignore format: one case a line
  test.each<[string, Parameters<typeof reviewOf>[0], Parameters<typeof reviewOf>[1], readonly number[]]>([
    ['from the first to the last log', logs, {}, [100, 400 + MS]],
    ['from the first to the last order', logs, { orders }, [50, 900 + MS]],
    ['whatever team is shown', logs, { uids: ['1'] }, [100, 400 + MS]],
    ['of the team alone, if it is to be its own', logs, { uids: ['2'], limits: { ownPeriod: true } }, [400, 400 + MS]],
    ['as limited', logs, { orders, limits: { since: T0 + 60_000, until: T0 + 500_000 } }, [60, 500]],
    ['from a limit to the last log', logs, { limits: { since: T0 } }, [0, 400 + MS]],
    ['from the first log to a limit', logs, { limits: { until: T0 + 500_000 } }, [100, 500]],
    ['to the last log, not to one before the limit', [[log('1', -5)], ...logs], { limits: { since: T0 } }, [0, 400 + MS]],
    ['from the first log, not from one at the limit', logs, { limits: { until: T0 + 400_000 } }, [100, 400]],
    ['of a millisecond if there is nothing behind a limit', logs, { limits: { since: T0 + 500_000 } }, [500, 500 + MS]],
  ])('%s', (_name, some, options, expected) => {
    expect(secondsOf(reviewOf(some, options).period)).toEqual(expected);
  });

  test('begins in 1970 if there is nothing at all', () => {
    expect(reviewOf([]).period).toEqual({ from: 0, until: 1 });
  });

  test('contains its first millisecond, and not its last', () => {
    const limits = { since: T0 + 10_000, until: T0 + 20_000 };
    const { activity, first, last, coverage } = teamOf(
      [[log('1', 9.999)], [log('1', 10)], [log('1', 19.999)], [log('1', 20)]],
      { limits, orders: [order('1', 9.999, '1'), order('1', 10, '2'), order('1', 19.999, '3'), order('1', 20, '4')] },
    );
    expect([activity.logs, first, last, coverage?.orders]).toEqual([2, T0 + 10_000, T0 + 19_999, 2]);
  });
});

test('an order finds its logs in another order than they were read, among those of other teams', () => {
  const orders = [order('1', 50, '8'), order('1', 0, '7')];
  const logs = [[log('2', 20)], [log('1', 40, '7')], [log('3', 30)], [log('1', 10, '7')], [log('2', 1, '7')]] as const;
  const { orders: reviewed, foreignOrders } = teamOf(logs, { orders });
  expect(
    reviewed?.map(({ order, log, before, after, namedByOthers }) => [
      order.orderId,
      log?.signedAt,
      before?.signedAt,
      after?.signedAt,
      namedByOthers,
    ]),
  ).toEqual([
    ['7', T0 + 10_000, undefined, T0 + 10_000, ['2']],
    ['8', undefined, T0 + 40_000, undefined, []],
  ]);
  expect(foreignOrders).toBe(0);
});

test('a team without logs is silent from its first order, or for the whole period', () => {
  const logs = [[log('2', 0)], [log('2', 7200)]] as const;
  const alone = teamOf(logs);
  expect(alone.silences.map(secondsOf)).toEqual([[0, 7200.001]]);
  expect(alone).not.toHaveProperty('first');
  expect(alone).not.toHaveProperty('coverage');
  const trading = teamOf(logs, { orders: [order('1', 3600, '7')] });
  expect(trading.silences.map(secondsOf)).toEqual([[3600, 7200.001]]);
  expect([alone.lookAt, trading.lookAt]).toEqual([['no entries'], ['no entries']]);
});

test('the teams with logs come in the order of their first log, those outside the period too', () => {
  const review = createReview({ within: 60_000, tolerance: 30_000, since: T0 });
  const none = () => factsOf({ ...log('2', 0), bodySha256: '' }, readContent(undefined));
  for (const one of [log('2', 0), log('1', -1), log('2', 1)]) review.add({ ...one, model: 'M', stage: 'S' }, none);
  expect(review.uids()).toEqual(['2', '1']);
});

test('the 20 longest silences are kept', () => {
  const logs = Array.from({ length: 30 }, (_, n) => [log('1', n * (n + 1))] as const);
  const { silences } = teamOf(logs);
  expect(silences).toHaveLength(20);
  expect([silences[0], silences[19]].map((silence) => silence && secondsOf(silence))).toEqual([
    [812, 870],
    [90, 110],
  ]);
});

describe('the reasons to look at a team follow from its figures', () => {
  const text = (n: number) => `{"input":{"n":${n}},"output":{"text":${JSON.stringify(englishProse[n])}}}`;
  const own = [0, 1, 2, 0].map((n, index) => [log('1', index * 60, `1${index}`), { body: text(n) }] as const);

  // biome-ignore format: one case a line
  test.each<[string, Parameters<typeof reviewOf>[0], Parameters<typeof reviewOf>[1], readonly string[]]>([
    ['none', own.slice(0, 3), {}, []],
    ['a quarter repeated', own, {}, ['repeats']],
    ['a text of another team', [[log('2', -60), { body: text(1) }], ...own.slice(0, 3)], {}, ['copies']],
    ["others' orders", [...own.slice(0, 3), [log('2', 999, '12')]], {}, ["others' orders"]],
    ['no versions', own.slice(0, 3).map(([one, change]) => [one, { ...change, model: 'Claude' }]), {}, ['incomplete']],
    ['12 hours without a log', [...own.slice(0, 3), [log('2', 43_320)]], {}, ['silent']],
    ['late', own.slice(0, 3), { orders: [order('1', -60.001, '10')] }, ['late']],
    ['early', own.slice(0, 3), { orders: [order('1', 30.001, '10')] }, ['early']],
    ['an hour of trading without a log', own.slice(0, 1), { orders: [order('1', 0, '10'), order('1', 60.001, '20'), order('1', 3660.001, '30')] }, ['no log near', 'few named', 'silent']],
  ])('%s', (_name, logs, options, expected) => {
    expect(teamOf(logs, options).lookAt).toEqual(expected);
  });
});
