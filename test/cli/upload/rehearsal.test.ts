import { describe, expect, test } from 'vitest';
import { checkLog } from '../../../cli/upload/readLog.ts';
import { makeLog, planUploads } from '../../../cli/upload/rehearsal.ts';
import { composeEntry, itemBytes } from '../../../functions/ailog/entry.ts';
import { received } from '../../ailog/received.ts';

type Demand = Parameters<typeof planUploads>[0];

const demand = (change: Partial<Demand>): Demand => ({
  ...{ teams: 500, perMinute: 1, peak: 7, minutes: 10, inOneSecond: false },
  ...change,
});

describe('a plan', () => {
  test.each<[name: string, change: Partial<Demand>, uploads: number[]]>([
    ['the scenario', {}, [500, 500, 500, 500, 500, 3500, 500, 500, 500, 500]],
    ['one minute', { teams: 5, minutes: 1 }, [35]],
    ['less than a minute', { teams: 5, minutes: 0.2 }, [7]],
    ['an upload every other minute', { teams: 10, perMinute: 0.5, peak: 2, minutes: 3 }, [5, 10, 5]],
    ['a minute and a half', { teams: 4, perMinute: 3, peak: 2, minutes: 1.5 }, [24, 6]],
  ])('for %s', (_name, change, uploads) => {
    const plan = planUploads(demand(change));
    const byMinute = Map.groupBy(plan, (due) => Math.floor(due / 60_000));
    expect([...byMinute.values()].map((minute) => minute.length)).toEqual(uploads);
    expect(plan).toEqual([...plan].sort((a, b) => a - b));
    expect(plan.at(-1)).toBeLessThan((change.minutes ?? 10) * 60_000);
  });

  test('spreads the uploads over their minutes, or puts the busiest ones in one second', () => {
    const spread = (inOneSecond: boolean) => {
      const peak = planUploads(demand({ inOneSecond })).filter((due) => due >= 300_000 && due < 360_000);
      return [peak[0], peak[1750], Math.ceil((peak.at(-1) ?? 0) / 1000)];
    };
    expect(spread(false)).toEqual([300_000, 330_000, 360]);
    expect(spread(true)).toEqual([300_000, 300_500, 301]);
  });
});

test('a log has about 10 KB, takes the units of docs/evidence.md, and the service would take it', () => {
  const rawBody = makeLog();
  expect(Math.abs(rawBody.length - 10_240)).toBeLessThan(1024);
  const units = Math.ceil(itemBytes(composeEntry({ stage: 's', model: 'm' }, { ...received, rawBody })) / 1024);
  expect([3, 4, 5]).toContain(units);
  expect(checkLog(rawBody)).toMatchObject({ orderId: expect.stringMatching(/^\d+$/), warning: undefined });
});
