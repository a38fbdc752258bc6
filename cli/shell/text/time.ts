const UNITS_MS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 };

/** Formats a duration with its two largest units: `2 d 3 h`, `45 s`. @param ms milliseconds */
export function formatDuration(ms: number): string {
  const units = Object.entries(UNITS_MS);
  const first = units.findIndex(([, length]) => ms >= length);
  if (first === -1) return '0 s';
  let rest = ms;
  const parts = units.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest %= length;
    return count > 0 ? `${count} ${unit}` : '';
  });
  return parts.filter(Boolean).join(' ');
}

/** Formats a time, ms since 1970, as ISO 8601 in UTC to the second. A value that is not a time stays as it is. */
export const formatTime = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? String(ms) : `${time.toISOString().slice(0, 19)}Z`;
};

/** Formats a time to the millisecond. Files from others can contain numbers that are not times. */
export const formatInstant = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `${ms} ms after 1970` : time.toISOString();
};
