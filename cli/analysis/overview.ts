import type { Row } from '../terminal/format.ts';
import { formatDuration, formatTime } from '../text/time.ts';
import type { OrderReport, TeamReport } from './describeTeam.ts';

/** The silences of a team in its tables of details. */
const SILENCES = 5;

/** Formats a share for people. */
export const formatShare = (value: number | null | undefined) => (typeof value === 'number' ? `${value} %` : '–');

/** Formats a delay in seconds, which may be negative; `–` if there is none. */
function formatDelay(seconds: number | null | undefined): string {
  if (typeof seconds !== 'number') return '–';
  return `${seconds <= -1 ? '−' : ''}${formatDuration(Math.abs(seconds) * 1000)}`;
}

const shortTime = (time: string | null | undefined) => (time ? formatTime(Date.parse(time)) : '–');

/** Returns the row of a team in the overview. */
export function overviewRow(team: TeamReport): Row {
  const [silence] = team.silences;
  return {
    uid: team.uid,
    team: team.team ?? undefined,
    status: team.status,
    entries: team.entries,
    ...(team.orders === undefined
      ? { first: shortTime(team.first), last: shortTime(team.last), 'with order': formatShare(team.withOrderPercent) }
      : {
          orders: team.orders,
          covered: formatShare(team.coveragePercent),
          'no log near': team.ordersWithoutLog,
          median: formatDelay(team.medianDelaySeconds),
          p95: formatDelay(team.p95DelaySeconds),
          late: team.late,
          early: team.early,
        }),
    silence: silence ? formatDuration(silence.seconds * 1000) : '–',
    repeats: team.ownRepeats,
    copies: team.copies,
    "others' orders": team.foreignOrders,
    complete: team.complete,
    'look at': team.lookAt.join(', ') || '–',
  };
}

/** Returns the tables of details of one team that the overview does not show. */
export const detailTables = ({ perDay, models, stages, missing, silences, orders, ...team }: TeamReport): Row[][] => [
  Object.entries(perDay).map(([day, entries]) => ({ day, entries })),
  Object.entries(models).map(([model, entries]) => ({ model, entries })),
  Object.entries(stages).map(([stage, entries]) => ({ stage, entries })),
  [
    { missing: 'model version', entries: missing.modelVersion },
    { missing: 'input and output data', entries: missing.data },
    { missing: 'order', entries: missing.order },
  ],
  [
    { text: 'with hidden characters', entries: team.hiddenCharacters },
    { text: 'compared in part', entries: team.cutTexts },
  ].filter(({ entries }) => entries > 0),
  silences.slice(0, SILENCES).map((silence) => ({
    silence: formatDuration(silence.seconds * 1000),
    from: shortTime(silence.from),
    until: shortTime(silence.until),
    ...(orders !== undefined && { orders: silence.orders }),
  })),
  Object.entries(team.ownRepeatsByKind ?? {})
    .map(([kind, repeats]) => ({
      repeated: kind,
      repeats,
      copies: team.copiesByKind?.[kind as 'body'] ?? 0,
      'same time': team.sameTimeByKind?.[kind as 'body'] ?? 0,
    }))
    .filter((row) => row.repeats + row.copies + row['same time'] > 0),
];

const nearest = (log: OrderReport['log'], placed: string) =>
  log?.signed ? `${formatDuration(Math.abs(Date.parse(log.signed) - Date.parse(placed)))}: ${log.entryId}` : undefined;

/** Returns the findings on an order, such as `late`; empty if its log came in time. */
function findingsOf({ timing, namedByOthers }: OrderReport): string {
  const others = namedByOthers.length > 0 ? `named by UID ${namedByOthers.join(', ')}` : '';
  if (timing === 'no log' && others) return `only ${others}`;
  return [timing === 'in time' ? '' : timing, others].filter(Boolean).join(', ');
}

/** Returns the orders to look at: those without a log first, then by the size of the delay. */
export function orderRows(teams: readonly TeamReport[]): Row[] {
  const found = teams.flatMap(({ orderList = [] }) => orderList).filter((order) => findingsOf(order) !== '');
  const size = ({ timing, delaySeconds }: OrderReport) =>
    timing === 'no log' ? Number.POSITIVE_INFINITY : Math.abs(delaySeconds ?? 0);
  return found
    .sort((a, b) => (size(a) === size(b) ? 0 : size(b) - size(a)))
    .map((order) => ({
      uid: order.uid,
      order: order.orderId,
      placed: shortTime(order.placed),
      finding: findingsOf(order),
      delay: formatDelay(order.delaySeconds),
      'last log before': nearest(order.logBefore, order.placed),
      'first log after': nearest(order.logAfter, order.placed),
    }));
}
