import { expect, test } from 'vitest';
import { archetypes } from '../../../../cli/local/demo/archetypes.ts';
import { createCompetition } from '../../../../cli/local/demo/competition.ts';
import { describeGroup } from '../../../../cli/review/figures/repeats.ts';
import { DAY_MS } from '../../../../cli/review/orders/importOrders.ts';
import { reviewDemo } from '../../local/demo/reviewDemo.ts';

test('the review of the demo is the same if every row is there twice', async () => {
  const [once, twice] = [false, true].map(async (isTwice) => {
    const { teams, period, groups, contested } = await reviewDemo(createCompetition('1'), isTwice);
    return [period, teams.toSorted((a, b) => Number(a.uid) - Number(b.uid)), groups.map(describeGroup), contested];
  });
  expect(await twice).toEqual(await once);
});

test.each([3, 12, 23, 37, 50, 61])(
  'in the hour %d, no honest team lacks logs that were there before it',
  async (hour) => {
    const teams = createCompetition('1');
    const first = Math.min(...teams.flatMap(({ orders }) => orders.map(({ placedAt }) => placedAt)));
    const since = first - (first % DAY_MS) + hour * 3_600_000;
    const { of } = await reviewDemo(teams, false, { since, until: since + 3_600_000 });
    const honest = teams.filter(({ archetype }) => 'isHonest' in archetypes[archetype]);
    const lacks = (uid: string) =>
      of(uid).lookAt.filter((reason) => ['no entries', 'no log near', 'silent'].includes(reason));
    expect(honest.flatMap(({ uid, archetype }) => lacks(uid).map((reason) => [archetype, reason]))).toEqual([]);
  },
);
