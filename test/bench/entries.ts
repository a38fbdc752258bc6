/** The number of entries in the tables of `npm run bench growth audit`. */
export const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);

/** Checks the number of entries. @throws Error if it is not one */
export function requireEntries(): void {
  if (Number.isSafeInteger(ENTRIES) && ENTRIES >= 1000) return;
  throw new Error(`BENCH_ENTRIES must be an integer of at least 1000, not "${process.env.BENCH_ENTRIES}".`);
}
