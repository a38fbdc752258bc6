import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeTeam } from '../../../cli/analysis/describeTeam.ts';
import { readContent } from '../../../cli/analysis/logContent.ts';
import { factsOf } from '../../../cli/analysis/logFacts.ts';
import { describeGroup } from '../../../cli/analysis/repeats.ts';
import { createReview } from '../../../cli/analysis/reviewTeams.ts';
import { createCompetition } from '../../../cli/demo/competition.ts';

const limits = { within: 60_000, tolerance: 30_000 };

/**
 * The figures of a version that kept every log as objects and read them one after the other, with those that came
 * since. Two of its copies arrived within a minute of their originals.
 */
const REVIEW_OF_THE_DEMO = '59c3ab2b8a763a8a693f40bc3cf15f1f2918ec5e99e8afa5e57e0b9321591950';

test('the review of the demo does not change unnoticed', () => {
  const teams = createCompetition('1');
  const review = createReview(limits);
  for (const { uid, logs: ofTeam } of teams) {
    for (const { signedAt, body } of ofTeam) {
      const bodySha256 = createHash('sha256').update(body).digest('hex');
      const [, orderId] = /^\{"orderId":(\d+)/.exec(body) ?? [];
      const { model, stage } = JSON.parse(body);
      const log = {
        uid,
        entryId: `${signedAt}-${bodySha256.slice(0, 32)}`,
        signedAt,
        receivedAt: signedAt + 40,
        ...(orderId && { orderId }),
      };
      review.add({ ...log, model, stage }, () => factsOf({ ...log, bodySha256 }, readContent(body)));
    }
  }
  const reviewed = review.review(
    teams.map(({ uid }) => uid),
    teams.flatMap(({ orders }) => orders),
  );
  const text = JSON.stringify([
    reviewed.period,
    reviewed.teams.map((team) => describeTeam(team, undefined, limits)),
    reviewed.groups.map(describeGroup),
    reviewed.contested,
  ]);
  expect(createHash('sha256').update(text).digest('hex')).toBe(REVIEW_OF_THE_DEMO);
});
