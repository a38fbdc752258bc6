/** The scales of the timeline. */

/** Returns the place of a delay on a log scale that goes through 0. @param ms negative: before the order */
const logOf = (ms: number): number => Math.sign(ms) * Math.log10(1 + Math.abs(ms) / 1000);

/** The delays that the scale names, in milliseconds. */
// biome-ignore format: a side a line
export const TICKS: readonly (readonly [ms: number, text: string])[] = [
  [-86_400_000, '−1 d'], [-3_600_000, '−1 h'], [-600_000, '−10 min'], [-30_000, '−30 s'],
  [0, '0'], [10_000, '10 s'], [60_000, '60 s'], [600_000, '10 min'], [3_600_000, '1 h'], [43_200_000, '12 h'], [172_800_000, '2 d'],
];

/** Returns the scale from delays to heights, such that the largest is at the top. */
export function delayScale(delays: readonly number[], top: number, bottom: number) {
  const [low, high] = [logOf(Math.min(-40_000, ...delays)), logOf(Math.max(120_000, ...delays))];
  return (ms: number) => bottom - ((logOf(ms) - low) / (high - low)) * (bottom - top);
}

const UNITS = [60_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000];

/** Returns the times that a scale names, at most ten, with their texts in UTC. */
export function timeTicks(from: number, until: number): (readonly [at: number, text: string])[] {
  const unit = UNITS.find((one) => (until - from) / one <= 10) ?? 2_592_000_000;
  const first = Math.ceil(from / unit) * unit;
  return Array.from({ length: Math.max(0, Math.ceil((until - first) / unit)) }, (_, place) => {
    const at = first + place * unit;
    const text = new Date(at).toISOString();
    return [at, at % 86_400_000 === 0 ? text.slice(5, 10) : text.slice(11, 16)] as const;
  });
}
