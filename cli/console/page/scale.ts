/** The scales of the timeline, and how times are shown. */
import { formatDuration, formatTime } from '../../shell/text/time.ts';

/** Returns the place of a delay on a log scale that goes through 0. @param ms negative: before the order */
const logOf = (ms: number): number => Math.sign(ms) * Math.log10(1 + Math.abs(ms) / 1000);

/** The limits of a delay, in milliseconds: from which on a log is late, and how long before its order it is early. */
export type DelayLimits = Readonly<{ within: number; tolerance: number }>;

/** The delays that the scale names beside the limits, in milliseconds. */
const NAMED = [-86_400_000, -3_600_000, -600_000, 0, 10_000, 600_000, 3_600_000, 43_200_000, 172_800_000];

/** The distance below which the names of two delays would overlap on the scale. */
const LEAST_DISTANCE = 0.3;

/** Returns the delays that the scale names, with their texts: the limits, and those that are not too near to them. */
export function delayTicks({ within, tolerance }: DelayLimits) {
  const limits = [-tolerance, within];
  const isApart = (ms: number) => limits.every((limit) => Math.abs(logOf(ms) - logOf(limit)) > LEAST_DISTANCE);
  const textOf = (ms: number) => (ms === 0 ? '0' : `${ms < 0 ? '−' : ''}${formatDuration(Math.abs(ms))}`);
  return [
    ...NAMED.filter(isApart).map((ms) => ({ ms, text: textOf(ms), isLimit: false })),
    ...limits.map((ms) => ({ ms, text: textOf(ms), isLimit: true })),
  ];
}

/**
 * Returns the scale from delays to heights, such that the largest is at the top. It has room for the limit of late
 * logs, and if a log came before its order, for that of early ones.
 */
export function delayScale(delays: readonly number[], { within, tolerance }: DelayLimits, top: number, bottom: number) {
  const least = Math.min(0, ...delays);
  const low = logOf(least < 0 ? Math.min(-40_000, -tolerance, least) : 0);
  const high = logOf(Math.max(120_000, within, ...delays));
  return (ms: number) => bottom - ((logOf(ms) - low) / (high - low)) * (bottom - top);
}

const yearOf = (ms: number) => new Date(ms).getUTCFullYear();

const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Returns how times of a list are shown: in UTC, with the year only if they span one. A span is shown as its days. */
export function clockOf(times: readonly number[]) {
  const start = new Set(times.map(yearOf)).size > 1 ? 0 : 5;
  return (from: number, until = from): string =>
    until > from ? DAYS.formatRange(from, until) : formatTime(from).slice(start, -1).replace('T', ' ');
}

const UNITS = [60_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000];

/** Returns the times that a scale names, at most ten, with their texts in UTC, with the year where they span one. */
export function timeTicks(from: number, until: number): (readonly [at: number, text: string])[] {
  const unit = UNITS.find((one) => (until - from) / one <= 10) ?? 2_592_000_000;
  const first = Math.ceil(from / unit) * unit;
  return Array.from({ length: Math.max(0, Math.ceil((until - first) / unit)) }, (_, place) => {
    const at = first + place * unit;
    const text = new Date(at).toISOString();
    const isLong = yearOf(from) !== yearOf(until - 1);
    return [at, at % 86_400_000 === 0 ? text.slice(isLong ? 0 : 5, 10) : text.slice(11, 16)] as const;
  });
}
