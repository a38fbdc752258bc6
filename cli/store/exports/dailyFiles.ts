import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';

const DAY_MS = 86_400_000;

/** The time after which no upload that was signed before is still on its way. */
const SETTLED_MS = 2 * CLOCK_TOLERANCE_MS;

const dayOf = (time: number): number => time - (time % DAY_MS);

/** Returns the day of the first file of a daily export, undefined without one. @param names the files of its folder */
export function firstDay(names: readonly string[]): number | undefined {
  const days = names.flatMap((name) => /^logs-(\d{4}-\d\d-\d\d)\.(jsonl|csv)$/.exec(name)?.[1] ?? []);
  return days.length === 0 ? undefined : Date.parse(days.sort()[0] as string);
}

/** Returns the UTC days that have ended and that a folder lacks, with their files. @param since the first of them */
export function missingDays(
  names: readonly string[],
  { since, now, format }: { since: number | undefined; now: number; format: string },
) {
  const today = dayOf(now - SETTLED_MS);
  const first = dayOf(since ?? today);
  const days = Array.from({ length: Math.max(0, (today - first) / DAY_MS) }, (_, at) => first + at * DAY_MS);
  return days
    .map((day) => ({
      since: day,
      until: day + DAY_MS,
      name: `logs-${new Date(day).toISOString().slice(0, 10)}.${format}`,
    }))
    .filter(({ name }) => !names.includes(name));
}
