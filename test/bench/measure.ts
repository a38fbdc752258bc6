/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share of some numbers does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

/**
 * Measures candidates side by side: one round of each after the other, so that a busy machine slows them all alike.
 * @returns what each round of each candidate gave, by its name
 */
export async function sideBySide<Name extends string>(
  rounds: number,
  candidates: Record<Name, () => number | Promise<number>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(candidates) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await candidates[name]());
  }
  return results;
}
