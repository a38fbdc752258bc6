import { expect, test } from 'vitest';
import { createCompetition } from '../../../../cli/local/demo/competition.ts';
import { describeGroup } from '../../../../cli/review/figures/repeats.ts';
import { reviewDemo } from '../../local/demo/reviewDemo.ts';

test('the review of the demo is the same if every row is there twice', async () => {
  const [once, twice] = [false, true].map(async (isTwice) => {
    const { teams, period, groups, contested } = await reviewDemo(createCompetition('1'), isTwice);
    return [period, teams.toSorted((a, b) => Number(a.uid) - Number(b.uid)), groups.map(describeGroup), contested];
  });
  expect(await twice).toEqual(await once);
});
