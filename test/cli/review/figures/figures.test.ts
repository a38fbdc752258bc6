import { describe, expect, test } from 'vitest';
import { percent } from '../../../../cli/review/figures/reviewTeams.ts';
import { COMPARED_PIECES } from '../../../../functions/features/words.ts';
import { type Log, reviewOf, T0, type TestOrder } from './review.ts';

test('100 models and stages are counted by name, the most frequent, and all others together; days in UTC', async () => {
  const logs = Array.from({ length: 103 }, (_, n): Log => ({ uid: '1', second: n, model: `M${n}`, stage: `S${n}` }));
  const { of } = await reviewOf([...logs, { uid: '1', second: -1, model: 'M102', stage: 'S0' }]);
  const { models, stages, perDay } = of('1');
  expect([Object.keys(models).length, models['(others)'], models.M102, models.M0]).toEqual([101, 3, 2, 1]);
  expect(Object.entries(models).at(-1)).toEqual(['(others)', 3]);
  expect(['M97', 'M98', 'M99'].filter((name) => name in models)).toEqual([]);
  expect(Object.keys(stages).slice(0, 3)).toEqual(['S0', 'S1', 'S10']);
  expect(perDay).toEqual({ '2025-11-16': 1, '2025-11-17': 103 });
});

test('shares are rounded down, so that 100 % means all', () => {
  expect([percent(2, 3), percent(1999, 2000), percent(5, 5), percent(0, 0)]).toEqual([66.6, 99.9, 100, null]);
});

test('days are all counted by name, however many they are', async () => {
  const logs = Array.from({ length: 101 }, (_, n): Log => ({ uid: '1', second: n * 86_400 }));
  const { perDay } = (await reviewOf(logs)).of('1');
  expect([Object.keys(perDay).length, perDay['2025-11-17'], perDay['2026-02-25']]).toEqual([101, 1, 1]);
});

test('what a log lacks is counted', async () => {
  // biome-ignore format: one case a line
  const cases: readonly (readonly [Partial<Log>, object])[] = [
    [{ orderId: 7 }, { complete: 1 }],
    [{}, { order: 1 }],
    [{ orderId: 7, model: 'Claude' }, { modelVersion: 1, versionOrData: 1 }],
    [{ orderId: 7, body: '{"input":{},"output":{"n":2}}' }, { data: 1, versionOrData: 1 }],
    [{ orderId: 7, body: '{"input":{"n":1},"output":{}}' }, { data: 1, versionOrData: 1 }],
    [{ orderId: 7, body: '{"input":null,"output":{"n":2}}' }, { data: 1, versionOrData: 1 }],
    [{ orderId: 7, body: '{"input":"n","output":{"n":2}}' }, { data: 1, versionOrData: 1 }],
    [{ model: 'Claude', body: '{}' }, { modelVersion: 1, data: 1, order: 1, versionOrData: 1 }],
  ];
  const { of } = await reviewOf(cases.map(([log], n) => ({ uid: String(n), second: 0, ...log })));
  for (const [n, [log, expected]] of cases.entries()) {
    const { complete, missing, withOrder } = of(String(n));
    const none = { complete: 0, modelVersion: 0, data: 0, order: 0, versionOrData: 0 };
    expect({ complete, ...missing }).toEqual({ ...none, ...expected });
    expect(withOrder).toBe(log.orderId === undefined ? 0 : 1);
  }
});

test('logs with invisible characters, and those that are compared in part, are counted', async () => {
  const body = (text: string) => JSON.stringify({ input: { n: 1 }, output: { text }, explanation: 'x' });
  const { of } = await reviewOf([
    { uid: '1', second: 0, body: body('b\u034fuy e\u034fth n\u034fow') },
    { uid: '1', second: 1, body: body('看'.repeat(COMPARED_PIECES + 1)) },
    { uid: '1', second: 2, body: body('plain') },
    { uid: '2', second: 3, body: body('s\u034fell e\u034fth n\u034fow') },
  ]);
  const { hiddenCharacters, cutTexts, lookAt } = of('1');
  expect([hiddenCharacters, cutTexts, lookAt]).toEqual([1, 1, ['hidden characters']]);
});

describe('the period of a review', () => {
  const logs: Log[] = [
    { uid: '1', second: 100 },
    { uid: '2', second: 400 },
  ];
  const orders: TestOrder[] = [
    ['1', 50, 7],
    ['2', 900, 8],
  ];
  const MS = 0.001;

  // biome-ignore format: one case a line
  test.each<[string, Log[], Parameters<typeof reviewOf>[1], readonly number[]]>([
    ['from the first to the last log', logs, {}, [100, 400 + MS]],
    ['from the first to the last order', logs, { orders }, [50, 900 + MS]],
    ['as limited', logs, { orders, limits: { since: T0 + 60_000, until: T0 + 500_000 } }, [60, 500]],
    ['to the last log, not to one before the limit', [{ uid: '1', second: -5 }, ...logs], { limits: { since: T0 } }, [0, 400 + MS]],
    ['from the first log, not from one at the limit', logs, { limits: { until: T0 + 400_000 } }, [100, 400]],
    ['of no time if there is nothing before a limit', logs, { limits: { until: T0 + 50_000 } }, [50, 50]],
    ['of a millisecond if there is nothing after a limit', logs, { limits: { since: T0 + 500_000 } }, [500, 500 + MS]],
    ['in 1970 if there is nothing at all', [], {}, [-T0 / 1000, -T0 / 1000 + MS]],
  ])('%s', async (_name, some, options, expected) => {
    const { period } = await reviewOf(some, options);
    expect([period?.starts, period?.ends].map((at) => ((at as number) - T0) / 1000)).toEqual(expected);
  });

  test('contains its first millisecond, and not its last', async () => {
    const seconds = [9.999, 10, 19.999, 20];
    const logs = seconds.map((second): Log => ({ uid: '1', second }));
    const orders = seconds.map((second, n): TestOrder => ['1', second, n + 1]);
    const { of } = await reviewOf(logs, { limits: { since: T0 + 10_000, until: T0 + 20_000 }, orders });
    const { entries, first, last, orders: placed } = of('1');
    expect([first, last].map((time) => Date.parse(time as string) - T0)).toEqual([10_000, 19_999]);
    expect([entries, placed]).toEqual([2, 2]);
  });
});
