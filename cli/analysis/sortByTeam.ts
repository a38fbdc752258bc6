import type { SignedLogColumns } from './signedLogs.ts';

/**
 * Returns the logs in the order of their teams, then of their signatures, and where the logs of each team begin. Behind
 * the last team stands the number of all logs.
 */
export function sortByTeam({ count, uids, team, compare }: SignedLogColumns): {
  order: Uint32Array;
  starts: Uint32Array;
} {
  const order = Uint32Array.from({ length: count }, (_, index) => index).sort(
    (a, b) => (team[a] as number) - (team[b] as number) || compare(a, b),
  );
  const starts = new Uint32Array(uids.length + 1);
  for (const number of team) starts[number + 1] = (starts[number + 1] as number) + 1;
  for (let number = 0; number < uids.length; number += 1) {
    starts[number + 1] = (starts[number + 1] as number) + (starts[number] as number);
  }
  return { order, starts };
}
