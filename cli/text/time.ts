/** Formats a duration with its two largest units: `2 d 3 h`, `45 s`. @param ms milliseconds */
export function formatDuration(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ];
  const parts = units.map(([unit, length], index) => {
    const above = units[index - 1]?.[1] ?? Number.POSITIVE_INFINITY;
    return [Math.floor((ms % above) / length), unit] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/**
 * Formats a time for people: ISO 8601 in UTC, to the second. A value that is not a time stays as it is.
 * @param ms milliseconds since 1970
 */
export const formatTime = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? String(ms) : `${time.toISOString().slice(0, 19)}Z`;
};

/** Formats a time to the millisecond. Files from others can contain numbers that are not times. */
export const formatInstant = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `${ms} ms after 1970` : time.toISOString();
};
