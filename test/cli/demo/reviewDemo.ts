import { createHash } from 'node:crypto';
import { readContent } from '../../../cli/analysis/logContent.ts';
import { factsOf } from '../../../cli/analysis/logFacts.ts';
import { createReview } from '../../../cli/analysis/reviewTeams.ts';
import type { DemoTeam } from '../../../cli/demo/competition.ts';

/** The limits of the demo's review, in milliseconds. */
export const limits = { within: 60_000, tolerance: 30_000 };

/** Reviews the teams of a competition. Each log was received 40 ms after it was signed. */
export function reviewDemo(teams: readonly DemoTeam[]) {
  const review = createReview(limits);
  for (const { uid, logs } of teams) {
    for (const { signedAt, body } of logs) {
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
  return review.review(
    teams.map(({ uid }) => uid),
    teams.flatMap(({ orders }) => orders),
  );
}
