/** The ways in which a log can repeat another, the strongest first. In SQL, they are numbers from 1 on. */
export const repeatKinds = ['body', 'data', 'output', 'text', 'near'] as const;
export type RepeatKind = (typeof repeatKinds)[number];

type Counts = Readonly<Record<string, number>>;

type EntryCount = 'entries' | 'withOrder' | 'complete' | 'hiddenCharacters' | 'cutTexts' | 'foreignOrders';
type RepeatCount = 'ownRepeats' | 'copies' | 'sameTime';

/** The figures that only an order list gives. */
type OrderFigures = Readonly<Record<'orders' | 'ordersWithLog' | 'ordersOnlyNear' | 'ordersWithoutLog', number>> &
  Readonly<Record<'ordersOnlyOthers' | 'late' | 'early', number>> &
  Readonly<Record<'coveragePercent' | 'medianDelaySeconds' | 'p95DelaySeconds', number | null>>;

/** The figures of one team, as `--json` prints them. Shares are in percent, times are ISO 8601 in UTC. */
export interface TeamFigures extends Readonly<Record<EntryCount | RepeatCount, number>>, Partial<OrderFigures> {
  readonly first: string | null;
  readonly last: string | null;
  readonly perDay: Counts;
  readonly models: Counts;
  readonly stages: Counts;
  readonly withOrderPercent: number | null;
  readonly missing: Readonly<Record<'modelVersion' | 'data' | 'order' | 'versionOrData', number>>;
  /** The longest first. Without an order list: pauses. */
  readonly silences: readonly { seconds: number; from: string | null; until: string | null; orders: number }[];
  /** Null: no log repeats another. */
  readonly ownRepeatsByKind: Readonly<Record<RepeatKind, number>> | null;
  readonly copiesByKind: TeamFigures['ownRepeatsByKind'];
  readonly sameTimeByKind: TeamFigures['ownRepeatsByKind'];
}

/** Returns a share in percent, rounded down to a tenth, so that 100 means all; null if the whole is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);

export const isoTime = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms).toISOString() : null);

/** The most models and stages that are counted by name for a team, and the name of all others. */
export const [NAMED, OTHERS] = [100, '(others)'];

/** Sorts counts by name, the most frequent first, then by name; the others last. */
export const byFrequency = (counts: Iterable<readonly [name: string, logs: number]>): Counts =>
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
