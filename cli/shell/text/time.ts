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

/** The milliseconds in a unit of Unix time, by the number of its digits for a time between 2001 and 2286. */
const UNITS: Readonly<Record<number, number>> = { 10: 1000, 13: 1, 16: 0.001 };

/** A year of two digits comes first, before hyphens: `25-11-17 00:30:00`. */
const WALL_CLOCK =
  /^(\d{4}(?=[-/])|2\d(?=-))[-/](\d{1,2})[-/](\d{1,2})[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Parses the time of an order: seconds, milliseconds or microseconds since 1970, or date and time. @param zone the
 * offset of times without one, such as `+08:00` @returns milliseconds since 1970; NaN if the text is not such a time
 */
export function parseOrderTime(text: string, zone: string): number {
  const [, whole = '', fraction = ''] = /^(\d+)(\.\d{1,9})?$/.exec(text) ?? [];
  const unit = UNITS[whole.length];
  if (unit !== undefined) return Math.floor(Number(whole + fraction) * unit);

  const match = WALL_CLOCK.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month = '', day = '', hour = '', minute, second = '00', digits = '0', given = zone] = match;
  const pad = (part: string) => part.padStart(2, '0');
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(given) ?? [];
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const date = `${year?.padStart(4, '20')}-${pad(month)}-${pad(day)}`;
  const at = Date.parse(`${date}T${pad(hour)}:${minute}:${second}.${digits.padEnd(3, '0').slice(0, 3)}${offset}`);
  // Date.parse reads February 31 as a day in March.
  return new Date(`${date}T00:00Z`).toJSON()?.startsWith(date) ? at : Number.NaN;
}
