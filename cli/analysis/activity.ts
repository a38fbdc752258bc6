type Counts = Map<string, number>;

/**
 * The logs that a team sent, counted by day, model and stage. Its size depends on the days and on the named models and
 * stages.
 */
export interface Activity {
  logs: number;
  readonly days: Counts;
  readonly models: Counts;
  readonly stages: Counts;
}

/** The maximum number of models, or of stages, that are counted by name for a team. */
const NAMED = 100;

/** The name under which all others are counted. */
const OTHERS = '(others)';

/** The code points of a name that are kept. */
const NAME_LENGTH = 200;

/** Creates the activity of a team without logs. */
export const createActivity = (): Activity => ({ logs: 0, days: new Map(), models: new Map(), stages: new Map() });

function count(counts: Counts, name: string): void {
  const counted = counts.has(name) || counts.size < NAMED ? name : OTHERS;
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
}

/** The day, in UTC, whose name was asked for last: most logs are of the same day as the one before. */
let lastDay = { number: Number.NaN, name: '' };

/** Returns the day of a time as text, such as 2025-11-17. */
function dayOf(time: number): string {
  const number = Math.floor(time / 86_400_000);
  if (number !== lastDay.number) lastDay = { number, name: new Date(time).toISOString().slice(0, 10) };
  return lastDay.name;
}

/** Adds a log to the activity of its team. @param signedAt milliseconds since 1970; days are in UTC */
export function addActivity(
  activity: Activity,
  { signedAt, model, stage }: { signedAt: number; model: string; stage: string },
): void {
  activity.logs += 1;
  count(activity.days, dayOf(signedAt));
  count(activity.models, model.slice(0, NAME_LENGTH));
  count(activity.stages, stage.slice(0, NAME_LENGTH));
}
