import type { Row } from '../../shell/terminal/format.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { SHOWN_SILENCES } from './limits.ts';
import type { OrderReport, TeamReport } from './reviewTeams.ts';

/** The widths of a name and of a line of reasons to look, which leave room for figures in 80 columns. */
const NAME_WIDTH = 13;
const REASONS_WIDTH = 20;

export const formatShare = (value: number | null | undefined) => (typeof value === 'number' ? `${value} %` : '–');

/** Formats a delay in seconds, which may be negative; `–` if there is none. */
function formatDelay(seconds: number | null | undefined): string {
  if (typeof seconds !== 'number') return '–';
  return `${seconds <= -1 ? '−' : ''}${formatDuration(Math.abs(seconds) * 1000)}`;
}

const shortTime = (time: string | null | undefined) => (time ? formatTime(Date.parse(time)) : '–');

export const longest = ({ silences: [silence] }: Pick<TeamReport, 'silences'>) => silence?.seconds ?? 0;

/** Compares two teams, for `sort`: those with facts first, by the orders that these concern, then by questions. */
export const byConcern = (a: TeamReport, b: TeamReport): number =>
  Number(b.facts.length > 0) - Number(a.facts.length > 0) ||
  b.factOrders - a.factOrders ||
  b.lookAt.length - b.facts.length - (a.lookAt.length - a.facts.length);

/** Returns the reasons to look at a team as people read them: `late` is a fact, `late?` a question. */
export const nameReasons = ({ lookAt, facts }: Pick<TeamReport, 'lookAt' | 'facts'>): string[] =>
  lookAt.map((reason) => (facts.includes(reason) ? reason : `${reason}?`));

/** Returns reasons as lines that are not wider than a column, unless one reason alone is. */
function wrapReasons(reasons: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [place, reason] of reasons.entries()) {
    const text = place === reasons.length - 1 ? reason : `${reason},`;
    const last = lines.at(-1);
    // Also the last one has room for a comma.
    if (last !== undefined && last.length + reason.length + 2 <= REASONS_WIDTH) lines.splice(-1, 1, `${last} ${text}`);
    else lines.push(text);
  }
  return lines.length === 0 ? ['–'] : lines;
}

const formatSilence = ({ silences: [silence] }: TeamReport) => (silence ? formatDuration(silence.seconds * 1000) : '–');

function shortName({ team }: TeamReport): string | undefined {
  const letters = Array.from(team ?? '');
  return letters.length > NAME_WIDTH ? `${letters.slice(0, NAME_WIDTH - 1).join('')}…` : (team ?? undefined);
}

/** Returns true for a team of which there is nothing to say: without orders and logs. */
export const isIdle = ({ entries, orders = 0 }: Pick<TeamReport, 'entries' | 'orders'>) => entries + orders === 0;

/** A report on a team, and what reviewers say about it, such as `disqualify 2`; null if nobody has said anything. */
export type JudgedReport = TeamReport & { readonly verdicts: string | null };

/** Returns the rows of a team in the table of all teams, which fits 80 columns: one, or more for many reasons. */
export function teamRows(team: JudgedReport): Row[] {
  const judged = team.verdicts === null ? [] : wrapReasons(`verdicts: ${team.verdicts}`.split(', '));
  const [first, ...others] = [...wrapReasons(nameReasons(team)), ...judged];
  const figures =
    team.orders === undefined
      ? { 'with order': formatShare(team.withOrderPercent), repeats: team.ownRepeats, copies: team.copies }
      : { orders: team.orders, covered: formatShare(team.coveragePercent) };
  return [
    {
      ...{ uid: team.uid, team: shortName(team), 'look at': first, entries: team.entries },
      ...{ ...figures, silence: formatSilence(team) },
    },
    ...others.map((line) => ({ uid: undefined, team: undefined, 'look at': line })),
  ];
}

export const wideRow = (team: JudgedReport): Row => ({
  uid: team.uid,
  'look at': nameReasons(team).join(', ') || '–',
  verdicts: team.verdicts ?? '–',
  team: team.team ?? undefined,
  status: team.status,
  entries: team.entries,
  ...(team.orders === undefined
    ? { first: shortTime(team.first), last: shortTime(team.last), 'with order': formatShare(team.withOrderPercent) }
    : {
        orders: team.orders,
        covered: formatShare(team.coveragePercent),
        'child orders': team.childOrders,
        'no log near': team.ordersWithoutLog,
        median: formatDelay(team.medianDelaySeconds),
        p95: formatDelay(team.p95DelaySeconds),
        late: team.late,
        early: team.early,
      }),
  silence: formatSilence(team),
  repeats: team.ownRepeats,
  templates: team.templates,
  copies: team.copies,
  "others' orders": team.foreignOrders,
  complete: team.complete,
});

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
  silences.slice(0, SHOWN_SILENCES).map((silence) => ({
    silence: formatDuration(silence.seconds * 1000),
    from: shortTime(silence.from),
    until: shortTime(silence.until),
    ...(orders !== undefined && { orders: silence.orders }),
  })),
];

const nearest = (log: OrderReport['log'], placed: string) =>
  log?.signed ? `${formatDuration(Math.abs(Date.parse(log.signed) - Date.parse(placed)))}: ${log.entryId}` : undefined;

export const isToLookAt = ({ timing, namedByOthers, trade }: OrderReport) =>
  (timing !== 'in time' && timing !== 'child order') || namedByOthers.length > 0 || trade === 'other';

/** Returns rows of orders: those without a log first, then by the size of the delay. */
export function orderRows(orders: readonly OrderReport[]): Row[] {
  const size = ({ timing, delaySeconds }: OrderReport) =>
    timing === 'no log' ? Number.POSITIVE_INFINITY : Math.abs(delaySeconds ?? 0);
  return orders
    .toSorted((a, b) => (size(a) === size(b) ? 0 : size(b) - size(a)))
    .map((order) => ({
      uid: order.uid,
      order: order.orderId,
      placed: shortTime(order.placed),
      timing: order.timing,
      delay: formatDelay(order.delaySeconds),
      ...(orders.some(({ logSays }) => logSays !== null) && { 'its log says': order.logSays ?? '–' }),
      'named by others': order.namedByOthers.join(', ') || '–',
      'last log before': nearest(order.logBefore, order.placed),
      'first log after': nearest(order.logAfter, order.placed),
    }));
}
