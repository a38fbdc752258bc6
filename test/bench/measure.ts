import { quantile } from '../../cli/shell/text/numbers.ts';

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * Measures candidates one round each, so that a busy machine affects all equally. Every second round runs in reverse,
 * because a candidate may pay for the one before it. @returns the result of each round, by candidate
 */
export async function sideBySide<Name extends string>(
  rounds: number,
  candidates: Record<Name, () => number | Promise<number>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(candidates) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await candidates[name]());
  }
  return results;
}

/** Returns how long some work takes, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Returns the head of a table in Markdown. @param cells its columns, as a line of it */
export const headOf = (cells: string): string[] => [cells, cells.replace(/[^|]+/g, '---')];
