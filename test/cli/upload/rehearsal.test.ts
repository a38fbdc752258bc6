import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkLog } from '../../../cli/upload/readLog.ts';
import {
  type Demand,
  DOLLARS_PER_MILLION,
  LOG_BYTES,
  logOf,
  planUploads,
  summarize,
} from '../../../cli/upload/rehearsal.ts';
import { composeEntry, itemBytes } from '../../../functions/ailog/entry.ts';
import { received } from '../../ailog/received.ts';
import { corpus, naturalSizes } from '../../bench/corpus.ts';

const demand = (change: Partial<Demand>): Demand => ({ teams: 500, perMinute: 1, peak: 7, minutes: 10, ...change });

describe('a plan', () => {
  test.each<[name: string, change: Partial<Demand>, uploads: number[]]>([
    ['the scenario', {}, [500, 500, 500, 500, 500, 3500, 500, 500, 500, 500]],
    ['one minute', { teams: 5, minutes: 1 }, [35]],
    ['less than a minute', { teams: 5, minutes: 0.2 }, [7]],
    ['an upload every other minute', { teams: 10, perMinute: 0.5, peak: 2, minutes: 3 }, [5, 10, 5]],
    ['a minute and a half', { teams: 4, perMinute: 3, peak: 2, minutes: 1.5 }, [24, 6]],
  ])('for %s', (_name, change, uploads) => {
    const plan = planUploads(demand(change));
    const byMinute = Map.groupBy(plan, ({ at }) => Math.floor(at / 60_000));
    expect([...byMinute.values()].map((minute) => minute.length)).toEqual(uploads);
    const busiest = uploads.indexOf(Math.max(...uploads));
    expect(new Set(plan.map(({ at, isPeak }) => isPeak === (Math.floor(at / 60_000) === busiest)))).toEqual(
      new Set([true]),
    );
    expect(plan.map(({ at }) => at)).toEqual(plan.map(({ at }) => at).sort((a, b) => a - b));
    expect(plan.at(-1)?.at).toBeLessThan((change.minutes ?? 10) * 60_000);
  });

  test('spreads the uploads over their minutes, or puts the busiest ones in one second', () => {
    const spread = (inOneSecond?: true) => {
      const peak = planUploads(demand({ inOneSecond })).filter(({ isPeak }) => isPeak);
      return [peak[0]?.at, peak[1750]?.at, Math.ceil((peak.at(-1)?.at ?? 0) / 1000)];
    };
    expect(spread()).toEqual([300_000, 330_000, 360]);
    expect(spread(true)).toEqual([300_000, 300_500, 301]);
  });
});

describe('the logs', () => {
  test('have the sizes of the corpus, and the service would take them', () => {
    expect(LOG_BYTES).toEqual(naturalSizes);
    for (const bytes of LOG_BYTES) {
      const log = logOf(bytes);
      expect(Math.abs(log.length - bytes)).toBeLessThan(60);
      expect(checkLog(log)).toMatchObject({ orderId: expect.stringMatching(/^\d{18}$/), warning: undefined });
    }
  });

  test('take about as much space as those of the corpus, compressed', () => {
    const stored = (bodies: readonly Buffer[]) =>
      bodies.reduce(
        (sum, rawBody) => sum + itemBytes(composeEntry({ stage: 's', model: 'm' }, { ...received, rawBody })),
        0,
      );
    const ratio = stored(LOG_BYTES.map(logOf)) / stored(corpus('natural').map(({ body }) => Buffer.from(body)));
    expect(Math.abs(1 - ratio)).toBeLessThan(0.25);
  });
});

describe('a summary', () => {
  const answer = (change: object = {}) => ({
    isPeak: false,
    ms: 10,
    late: 0,
    verdict: 'accepted',
    hasReceipt: true,
    ...change,
  });
  const sent = (change: object = {}) => ({
    answers: [answer()],
    cpuMs: 2,
    quota: { uploads: 1000, seconds: 10 },
    ...change,
  });

  test('counts the answers by their kind, and has quantiles of their times', () => {
    const answers = [
      ...Array.from({ length: 98 }, (_, at) => answer({ ms: at + 1 })),
      answer({ verdict: '429 42901', ms: 500, late: 7, isPeak: true, hasReceipt: false }),
      answer({ hasReceipt: false, ms: 99 }),
    ];
    expect(summarize(demand({}), sent({ answers, cpuMs: 1.26 }))).toEqual({
      uploads: 100,
      accepted: 99,
      refused: { '429 42901': 1 },
      withoutReceipt: 1,
      answerMs: { p50: 51, p95: 96, p99: 500 },
      answerMsInPeak: { p50: 500, p95: 500, p99: 500 },
      sentLateMs: 7,
      cpuMs: 1.3,
      machines: 1,
    });
  });

  test('of a rehearsal without an answer has no times', () => {
    const { answerMs, accepted, sentLateMs } = summarize(demand({}), sent({ answers: [] }));
    expect({ answerMs, accepted, sentLateMs }).toEqual({ answerMs: undefined, accepted: 0, sentLateMs: 0 });
  });

  test.each<[name: string, change: Partial<Demand>, of: object, machines: number]>([
    ['58 a second', {}, {}, 1],
    ['58 a second, for a slow machine', {}, { cpuMs: 30 }, 3],
    ['3500 in a second: four quotas of an address', { inOneSecond: true }, { cpuMs: 0.1 }, 4],
    ['3500 in a second: ten cores', { inOneSecond: true }, {}, 10],
    ['120 a second in windows of 10 s', { peak: 14.4 }, { cpuMs: 0.1 }, 2],
    ['an unknown quota', {}, { quota: undefined }, 1],
  ])('says how many machines take %s', (_name, change, of, machines) => {
    expect(summarize(demand(change), sent(of)).machines).toBe(machines);
  });
});

test('the cost of a million uploads is that of docs/capacity.md', () => {
  const page = readFileSync(new URL('../../../docs/capacity.md', import.meta.url), 'utf8');
  const [, total] = /\| \*\*total\*\* \| \| \*\*[\d.]+\*\* \| \*\*([\d.]+)\*\*/.exec(page) ?? [];
  const [, uploads] = /makes (1\d \d{3} \d{3}) uploads/.exec(page) ?? [];
  expect(DOLLARS_PER_MILLION).toBeCloseTo(Number(total) / (Number(uploads?.replaceAll(' ', '')) / 1e6), 1);
});
