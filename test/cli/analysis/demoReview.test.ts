import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeTeam } from '../../../cli/analysis/describeTeam.ts';
import { describeGroup } from '../../../cli/analysis/repeats.ts';
import { createCompetition } from '../../../cli/demo/competition.ts';
import { limits, reviewDemo } from '../demo/reviewDemo.ts';

/**
 * The figures of a version that kept every log as objects and read them one after the other, with those that came
 * since. Two of its copies arrived within a minute of their originals.
 */
const REVIEW_OF_THE_DEMO = '59c3ab2b8a763a8a693f40bc3cf15f1f2918ec5e99e8afa5e57e0b9321591950';

test('the review of the demo does not change unnoticed', () => {
  const reviewed = reviewDemo(createCompetition('1'));
  const text = JSON.stringify([
    reviewed.period,
    reviewed.teams.map((team) => describeTeam(team, undefined, limits)),
    reviewed.groups.map(describeGroup),
    reviewed.contested,
  ]);
  expect(createHash('sha256').update(text).digest('hex')).toBe(REVIEW_OF_THE_DEMO);
});
