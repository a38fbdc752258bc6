/** The ways in which a log can repeat another, the strongest first. In SQL, they are numbers from 1 on. */
export const repeatKinds = ['body', 'data', 'output', 'text', 'near'] as const;
export type RepeatKind = (typeof repeatKinds)[number];

type Counts = Readonly<Record<string, number>>;

/** Returns a share in percent, rounded down to a tenth, so that 100 means all; null if the whole is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);

export const isoTime = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms).toISOString() : null);

/** The most models and stages that are counted by name for a team, and the name of all others. */
const NAMED = 100;
const OTHERS = '(others)';

/** Sorts counts by name, the most frequent first, then by name; the others last. */
const byFrequency = (counts: Iterable<readonly [name: string, logs: number]>): Counts =>
  Object.fromEntries(
    [...counts].sort(
      ([a, ofA], [b, ofB]) => Number(a === OTHERS) - Number(b === OTHERS) || ofB - ofA || (a < b ? -1 : Number(a > b)),
    ),
  );

/**
 * Returns how similar two texts are, in percent. Two places of 8 bits are equal by chance once in 256.
 * @param places how many of the 128 places of their signatures are equal
 */
export const similarity = (places: number) => Math.round((100 * (places / 128 - 1 / 256)) / (255 / 256));

type LogCount =
  | ('entries' | 'first_at' | 'last_at' | 'with_order' | 'complete' | 'hidden_characters' | 'cut_texts')
  | ('without_version' | 'without_data' | 'without_version_or_data');

/** What is counted of the logs of a team. Times are in milliseconds since 1970. A team without logs has no counts. */
export interface LogCounts {
  readonly logs: Partial<Readonly<Record<LogCount, number>>>;
  /** Rows of `names.sql`: the logs by day (in days since 1970), model and stage. Null: all other names. */
  readonly names: readonly { readonly what: string; readonly name: string | null; readonly entries: number }[];
  /** The longest first. Without an order list: pauses. */
  readonly silences: readonly { readonly starts: number; readonly ends: number; readonly orders: number }[];
}

/** Returns the figures on the logs of a team alone. Shares are in percent, times are ISO 8601 in UTC. */
export function figuresOfLogs({ logs, names, silences }: LogCounts) {
  const { entries = 0, with_order: withOrder = 0 } = logs;
  const named = (wanted: string) => names.filter(({ what }) => what === wanted);
  const byName = (wanted: string) => byFrequency(named(wanted).map(({ name, entries }) => [name ?? OTHERS, entries]));
  const dayOf = (days: string | null) => new Date(Number(days) * 86_400_000).toISOString().slice(0, 10);
  return {
    entries,
    first: isoTime(logs.first_at),
    last: isoTime(logs.last_at),
    perDay: Object.fromEntries(named('day').map(({ name, entries }) => [dayOf(name), entries])) as Counts,
    models: byName('model'),
    stages: byName('stage'),
    withOrder,
    withOrderPercent: percent(withOrder, entries),
    complete: logs.complete ?? 0,
    missing: {
      modelVersion: logs.without_version ?? 0,
      data: logs.without_data ?? 0,
      order: entries - withOrder,
      versionOrData: logs.without_version_or_data ?? 0,
    },
    silences: silences.map(({ starts, ends, orders }) => ({
      seconds: Math.round((ends - starts) / 1000),
      from: isoTime(starts),
      until: isoTime(ends),
      orders,
    })),
    hiddenCharacters: logs.hidden_characters ?? 0,
    cutTexts: logs.cut_texts ?? 0,
  };
}

type RepeatCount = 'ownRepeats' | 'copies' | 'sameTime';

/** The figures that only an order list gives. */
type OrderFigures = Readonly<Record<'orders' | 'ordersWithLog' | 'ordersOnlyNear' | 'ordersWithoutLog', number>> &
  Readonly<Record<'ordersOnlyOthers' | 'late' | 'early', number>> &
  Readonly<Record<'coveragePercent' | 'medianDelaySeconds' | 'p95DelaySeconds', number | null>>;

/** The figures of one team, as `--json` prints them. Repeats by kind are null if no log repeats another. */
export type TeamFigures = Readonly<ReturnType<typeof figuresOfLogs>> &
  Readonly<Record<RepeatCount | 'foreignOrders', number>> &
  Readonly<Record<`${RepeatCount}ByKind`, Readonly<Record<RepeatKind, number>> | null>> &
  Partial<OrderFigures>;
