import { archetypes } from '../../../../cli/local/demo/archetypes.ts';
import type { DemoTeam } from '../../../../cli/local/demo/competition.ts';
import type { ReviewLimits } from '../../../../cli/review/figures/makeFigures.ts';
import { reviewDemo } from './reviewDemo.ts';

/** Reviews teams. @returns the reasons that an honest reviewer does not find, and those that the report misses */
export async function judgeArchetypes(teams: readonly DemoTeam[], limits: Partial<ReviewLimits> = {}) {
  const { of } = await reviewDemo(teams, false, limits);
  const judged = teams.map(({ uid, archetype }) => {
    const found: readonly string[] = of(uid).lookAt;
    const expected: readonly string[] = archetypes[archetype].found;
    const name = `${archetype} (UID ${uid})`;
    return [
      found.filter((reason) => !expected.includes(reason)).map((reason) => `${name}: ${reason}`),
      expected.filter((reason) => !found.includes(reason)).map((reason) => `${name}: ${reason}`),
    ] as const;
  });
  return { falseAlarms: judged.flatMap(([alarms]) => alarms), misses: judged.flatMap(([, missed]) => missed) };
}
