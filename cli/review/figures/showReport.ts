import { COMPARED_UNITS } from '../../../functions/features/words.ts';
import type { Block } from '../../shell/terminal/defineCommand.ts';
import type { Row } from '../../shell/terminal/format.ts';
import { counted } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import type { countPlaces } from './countPlaces.ts';
import { SAME_TIME_MS } from './limits.ts';
import type { Review } from './openReview.ts';
import {
  detailTables,
  formatShare,
  isIdle,
  isToLookAt,
  type JudgedReport,
  orderRows,
  teamRows,
  wideRow,
} from './overview.ts';
import { type Reason, reasons } from './reasons.ts';
import { memberRows, pairRows, type RepeatGroup, titleOf } from './repeats.ts';
import { type ContestedOrder, isoTime, type OrderReport, percent, type TeamReport } from './reviewTeams.ts';
import { describeRules, sayRules } from './rules.ts';
import { type Copied, paragraphOf } from './teamParagraph.ts';
import { noteTimeZone, type Shifts } from './zoneHint.ts';

const NAMED_ORDERS = 20;
const NAMED_GROUPS = 10;
const NAMED_LOGS = 5;

export function* showGroups(groups: readonly RepeatGroup[]): Generator<Block> {
  if (groups.length === 0) return yield { note: 'No logs repeat each other.' };
  yield { table: pairRows(groups) };
  for (const [index, group] of groups.slice(0, NAMED_GROUPS).entries()) {
    yield `\n${titleOf(group, index + 1)}`;
    yield { table: memberRows(group, NAMED_LOGS), wraps: true };
    if (group.length > NAMED_LOGS) yield `… and ${group.length - NAMED_LOGS} more`;
  }
  const more = groups.length - NAMED_GROUPS;
  if (more > 0) yield { note: `Groups that are not shown: ${more}.` };
  yield { note: '--json and --csv list all groups and all logs. ailog logs show ENTRY shows a log.' };
}

function* below(table: readonly Row[]): Generator<Block> {
  if (table.length === 0) return;
  yield '';
  yield { table };
}

/** Warns if most teams are silent up to the end: a log of a later day, such as a test, makes the period longer. */
function* notePeriod(teams: readonly TeamReport[], until: number): Generator<Block> {
  const starts = teams.flatMap(({ lookAt, silences: [longest] }) =>
    lookAt.includes('silent') && longest?.until === isoTime(until) ? longest.from : [],
  );
  const { length } = teams.filter(({ entries }) => entries > 0);
  if (starts.length * 2 <= length) return;
  const end = new Date(starts.toSorted().at(-1) as string);
  yield {
    note: `Probably too long a period: ${starts.length} of ${length} teams have no log after ${formatTime(end.getTime())}. Try an earlier --until, or --orders.`,
  };
}

const sum = (teams: readonly TeamReport[], count: (team: TeamReport) => number | undefined) =>
  teams.reduce((total, team) => total + (count(team) ?? 0), 0);

async function* showOrders(orders: AsyncIterable<OrderReport>): AsyncGenerator<Block> {
  const found: OrderReport[] = [];
  for await (const order of orders) if (isToLookAt(order)) found.push(order);
  yield* below(orderRows(found).slice(0, NAMED_ORDERS));
  const more = found.length - NAMED_ORDERS;
  if (more > 0) yield { note: `Orders to look at that are not shown: ${more}. --json and --csv list all.` };
}

/** Shows the orders that several teams claim. Within a minute, nobody can say who named an order first. */
function* showContested(contested: readonly ContestedOrder[]): Generator<Block> {
  const rows = contested.slice(0, NAMED_ORDERS).map(({ orderId, owner, claims }) => ({
    'order named by several teams': orderId,
    'placed by': owner ?? '–',
    'named by': claims
      .map(({ uid, entryId, receivedAt }, place) => {
        const isTied = place > 0 && receivedAt - (claims[0]?.receivedAt as number) <= SAME_TIME_MS;
        return `${uid} (${entryId}${isTied ? ', at the same time' : ''})`;
      })
      .join(', '),
  }));
  yield* below(rows);
  const more = contested.length - rows.length;
  if (more > 0) yield { note: `Orders named by several teams that are not shown: ${more}. --json lists all.` };
}

export interface Report extends Pick<Review, 'period' | 'days' | 'contested' | 'hasOrders' | 'limits'> {
  readonly teams: readonly JudgedReport[];
  readonly orders: () => AsyncIterable<OrderReport>;
  readonly copied: readonly Copied[];
  readonly shifts: Shifts;
  /** The places of their logs in the transparency log; undefined: it was not read. */
  readonly places: Awaited<ReturnType<typeof countPlaces>>;
}

/** Returns the text of a report. @param options `isOfSome`: some teams were asked for; `isOpen`: no period was */
export async function* showReport(
  report: Report,
  { isOfSome, isOpen }: Record<'isOfSome' | 'isOpen', boolean>,
): AsyncGenerator<Block> {
  const { teams, period, days, hasOrders, places, limits } = report;
  if (teams.length === 0) return yield { note: 'There are no teams and no entries.' };
  const listed = isOfSome ? teams : teams.filter((team) => !isIdle(team));
  yield { table: listed.flatMap(teamRows), ifWide: listed.map(wideRow) };
  const shown = teams.map(({ uid }) => uid);
  const contested = report.contested.filter(({ owner, claims }) =>
    [owner, ...claims.map(({ uid }) => uid)].some((uid) => uid !== null && shown.includes(uid)),
  );
  if (isOfSome) {
    for (const table of teams.flatMap(detailTables)) yield* below(table);
    const copied = report.copied.map(({ uid, of, logs, first, original }) => {
      return { uid, 'copies logs of': of, logs, first, original };
    });
    yield* below(copied);
    if (hasOrders) yield* showOrders(report.orders());
    yield* showContested(contested);
    for (const team of teams) {
      yield '';
      const copied = report.copied.filter(({ uid }) => uid === team.uid);
      yield { lines: [paragraphOf(team, report, copied)], wrap: { indent: 0 } };
    }
  }
  if (hasOrders) {
    const all = sum(teams, (team) => team.orders);
    const logged = sum(teams, (team) => team.ordersWithLog);
    const children = sum(teams, (team) => team.childOrders);
    const covered = formatShare(percent(logged, all - children));
    yield { note: `Orders: ${all}, with an AI log: ${logged}, covered: ${covered}.` };
    if (children > 0) {
      const parents = sum(teams, (team) => team.parentOrders);
      const volume = Math.round(sum(teams, (team) => team.childVolume ?? 0));
      const sizes = volume > 0 ? `, with ${volume} times its size` : '';
      yield { note: `Grouped: ${counted(children, 'child order')} of ${parents}${sizes}. --child-gap sets the rule.` };
    }
    const [told, others] = [sum(teams, (team) => team.toldOrders), sum(teams, (team) => team.otherTrades)];
    if (logged > 0)
      yield { note: `Orders beside what their logs say: ${told} of ${logged} compared, ${others} of another trade.` };
    yield* noteTimeZone(teams, report.shifts);
  }
  if (isOpen && !hasOrders && !isOfSome) yield* notePeriod(teams, period.until);
  if (!isOfSome && contested.length > 0) yield { note: `Orders named by several teams: ${contested.length}.` };
  const cut = teams.filter(({ cutTexts }) => cutTexts > 0).map(({ uid, cutTexts }) => `${cutTexts} of UID ${uid}`);
  if (cut.length > 0)
    yield { note: `Logs of whose text only the first ${COMPARED_UNITS} characters were compared: ${cut.join(', ')}.` };
  const short = sum(teams, ({ shortTexts }) => shortTexts);
  if (short > 0) yield { note: `Logs that are too short to be compared with those of other teams: ${short}.` };
  if (places) yield { note: places.note(shown) };
  const found = (Object.keys(reasons) as Reason[]).filter((name) => teams.some(({ lookAt }) => lookAt.includes(name)));
  if (found.length > 0) yield { note: 'What else can explain them:' };
  for (const name of found) yield { note: `  ${name}: ${reasons[name].innocent}` };
  if (listed.length < teams.length)
    yield { note: `Teams without orders and logs, which are not shown: ${teams.length - listed.length}.` };
  const flagged = teams.filter(({ lookAt }) => lookAt.length > 0).length;
  if (!isOfSome)
    yield {
      note: `Teams to look at: ${flagged} of ${teams.length}. --uid shows the orders and details of a team, --wide all figures.`,
    };
  yield {
    note:
      period.until <= 1
        ? 'There are no entries and no orders.'
        : `Period${days ? ', the days of the orders' : ''}: ${formatTime(period.from)} to ${formatTime(period.until)}.`,
  };
  yield { note: sayRules(limits) };
}

/** Returns a report for `--json`. Without any entry or order, there is no period. */
export async function describeReport({ period, limits, contested, teams, hasOrders, orders, copied, places }: Report) {
  const byTeam = hasOrders ? Map.groupBy(await Array.fromAsync(orders()), ({ uid }) => uid) : undefined;
  return {
    period: period.until <= 1 ? null : { from: isoTime(period.from), until: isoTime(period.until) },
    rules: describeRules(limits),
    teams: teams.map((team) => ({
      ...team,
      ...(byTeam && { orderList: byTeam.get(team.uid) ?? [] }),
      ...(copied.some(({ uid }) => uid === team.uid) && { copied: copied.filter(({ uid }) => uid === team.uid) }),
      tlog: places?.of(team.uid) ?? null,
    })),
    contestedOrders: contested.map(({ orderId, owner, claims }) => ({
      orderId,
      placedBy: owner,
      claims: claims.map(({ uid, logs, entryId, receivedAt }) => ({
        uid,
        logs,
        firstEntryId: entryId,
        firstReceived: isoTime(receivedAt),
      })),
    })),
  };
}
