import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import { type Cell, csvLine } from '../terminal/csv.ts';
import { formatDuration, formatTime, type Row } from '../terminal/format.ts';
import type { Order } from './orders.ts';
import type { Counts, Tally } from './tally.ts';

/** The report of a team, as `--json` prints it. Shares and coverage are in percent, times are ISO 8601. */
export type TeamReport = ReturnType<typeof describeTeam>;

/** Returns a share in percent, rounded down to a tenth, so that 100 means all; null if the whole is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);

/** Sorts counts by name, the most frequent first. */
const byFrequency = (counts: Counts) => Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));

const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/** Describes a team. @param orders the team's orders in the order list; undefined if there is no list */
export function describeTeam(
  uid: string,
  {
    allowlistEntry,
    tally,
    orders,
  }: { allowlistEntry: AllowlistEntry | undefined; tally: Tally; orders: readonly Order[] | undefined },
) {
  const unlogged = orders?.filter(({ logged }) => !logged);
  return {
    uid,
    team: allowlistEntry?.team ?? null,
    status: allowlistEntry?.status ?? 'not listed',
    entries: tally.entries,
    first: timeOf(tally.first),
    last: timeOf(tally.last),
    perDay: Object.fromEntries([...tally.days].sort()),
    models: byFrequency(tally.models),
    stages: byFrequency(tally.stages),
    withOrder: tally.withOrder,
    withOrderPercent: percent(tally.withOrder, tally.entries),
    repeatedBodies: tally.entries - tally.bodies.size,
    repeatedData: tally.entries - tally.data.size,
    longestSilenceSeconds: Math.round(tally.longestSilence / 1000),
    complete: tally.complete,
    missing: tally.missing,
    ...(orders &&
      unlogged && {
        orders: orders.length,
        ordersWithLog: orders.length - unlogged.length,
        coveragePercent: percent(orders.length - unlogged.length, orders.length),
        ordersWithoutLog: unlogged.map(({ orderId, at }) => ({ orderId, time: new Date(at).toISOString() })),
      }),
  };
}

const shortTime = (time: string | null) => (time === null ? undefined : formatTime(Date.parse(time)));
/** Formats a share for people. */
export const formatShare = (value: number | null | undefined) => (typeof value === 'number' ? `${value} %` : '–');

/** Returns the row of a team in the overview. */
export const overviewRow = (team: TeamReport): Row => ({
  uid: team.uid,
  team: team.team ?? undefined,
  status: team.status,
  entries: team.entries,
  first: shortTime(team.first),
  last: shortTime(team.last),
  'longest silence': formatDuration(team.longestSilenceSeconds * 1000),
  'with order': formatShare(team.withOrderPercent),
  'repeated bodies': team.repeatedBodies,
  'repeated data': team.repeatedData,
  complete: team.complete,
  ...(team.orders !== undefined && { orders: team.orders, covered: formatShare(team.coveragePercent) }),
});

/** Returns the tables of details that the overview does not show. */
export const detailTables = ({ perDay, models, stages, missing }: TeamReport): Row[][] => [
  Object.entries(perDay).map(([day, entries]) => ({ day, entries })),
  Object.entries(models).map(([model, entries]) => ({ model, entries })),
  Object.entries(stages).map(([stage, entries]) => ({ stage, entries })),
  [
    { missing: 'model version', entries: missing.modelVersion },
    { missing: 'input and output data', entries: missing.data },
    { missing: 'order', entries: missing.order },
  ],
];

/** Formats counts as one cell of CSV: `name: count`, one per line. */
const formatCounts = (counts: Readonly<Record<string, number>>): Cell => ({
  freeText: Object.entries(counts)
    .map(([name, entries]) => `${name}: ${entries}`)
    .join('\n'),
});

/** Formats teams as CSV, one line per team. */
export function formatCsv(teams: readonly TeamReport[]): string {
  const lines = teams.map(({ uid, team, perDay, models, stages, missing, ordersWithoutLog, ...facts }) => ({
    uid,
    team: { freeText: team ?? '' },
    ...facts,
    perDay: formatCounts(perDay),
    models: formatCounts(models),
    stages: formatCounts(stages),
    missingModelVersion: missing.modelVersion,
    missingData: missing.data,
    missingOrder: missing.order,
    ...(ordersWithoutLog && { ordersWithoutLog: ordersWithoutLog.map(({ orderId }) => orderId).join('\n') }),
  }));
  const columns = Object.keys(lines[0] ?? {});
  return [columns, ...lines.map((line) => Object.values(line).map((cell) => cell ?? ''))].map(csvLine).join('');
}
