import { InvalidArgumentError } from '@commander-js/extra-typings';
import { COMPARED_UNITS } from '../../../functions/features/words.ts';
import { countPlaces } from '../../review/figures/countPlaces.ts';
import { isoTime, percent } from '../../review/figures/figures.ts';
import { SAME_TIME_MS, WITHIN_MS } from '../../review/figures/limits.ts';
import { openReview, type Review } from '../../review/figures/openReview.ts';
import {
  byConcern,
  detailTables,
  formatShare,
  isToLookAt,
  orderRows,
  teamRows,
  wideRow,
} from '../../review/figures/overview.ts';
import {
  describeGroup,
  formatGroups,
  memberRows,
  pairRows,
  type RepeatGroup,
  readGroups,
  titleOf,
} from '../../review/figures/repeats.ts';
import { formatOrders, formatTeams } from '../../review/figures/reportCsv.ts';
import { engineOption, withReviewedRows } from '../../review/figures/reviewedRows.ts';
import {
  type ContestedOrder,
  type OrderReport,
  readOrderReports,
  type TeamReport,
} from '../../review/figures/reviewTeams.ts';
import { noCache, noSync } from '../../review/rows/openRows.ts';
import { formatStanding, readStandingsIfAllowed } from '../../review/verdicts/standing.ts';
import { date, offset, span, texts, uids } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** The maximum number of orders in a table, of groups, and of logs in a group. */
const NAMED_ORDERS = 20;
const NAMED_GROUPS = 10;
const NAMED_LOGS = 5;

/** The delay from a whole number of hours up to which an order list looks as if it was read in a wrong time zone. */
const [HOUR_SECONDS, NEAR_HOUR_SECONDS] = [3600, 300];

function csvLines(text: string): 'team' | 'order' {
  if (text !== 'team' && text !== 'order') throw new InvalidArgumentError('Give team, order or nothing.');
  return text;
}

async function showGroups(terminal: Terminal, groups: readonly RepeatGroup[]): Promise<void> {
  if (groups.length === 0) return terminal.note('No logs repeat each other.');
  await terminal.table(pairRows(groups));
  for (const [index, group] of groups.slice(0, NAMED_GROUPS).entries()) {
    await terminal.print(`\n${titleOf(group, index + 1)}`);
    await terminal.table(memberRows(group, NAMED_LOGS), { wraps: true });
    if (group.length > NAMED_LOGS) await terminal.print(`… and ${group.length - NAMED_LOGS} more`);
  }
  const more = groups.length - NAMED_GROUPS;
  if (more > 0) terminal.note(`Groups that are not shown: ${more}.`);
  terminal.note('--json and --csv list all groups and all logs. ailog logs show ENTRY shows a log.');
}

/** Warns if most teams log their orders a whole number of hours late or early. */
function noteTimeZone(terminal: Terminal, teams: readonly TeamReport[]): void {
  const medians = teams.flatMap(({ medianDelaySeconds }) => medianDelaySeconds ?? []);
  const hours = Map.groupBy(
    medians.filter((delay) => Math.abs(delay - HOUR_SECONDS * Math.round(delay / HOUR_SECONDS)) <= NEAR_HOUR_SECONDS),
    (delay) => Math.round(delay / HOUR_SECONDS),
  );
  const [most] = [...hours].filter(([hour]) => hour !== 0).sort(([, a], [, b]) => b.length - a.length);
  if (!most || most[1].length * 2 <= medians.length) return;
  const [hour, { length }] = most;
  terminal.note(
    `Probably a wrong time zone: the logs of ${length} of ${medians.length} teams come about ${Math.abs(hour)} h ${hour > 0 ? 'after' : 'before'} their orders. Try --time-zone with ${Math.abs(hour)} h ${hour > 0 ? 'less' : 'more'}.`,
  );
}

/**
 * Warns if most teams are silent up to the end of the period: a log of a later day, such as a test, makes it longer.
 */
function notePeriod(terminal: Terminal, teams: readonly TeamReport[], until: number): void {
  const starts = teams.flatMap(({ lookAt, silences: [longest] }) =>
    lookAt.includes('silent') && longest?.until === isoTime(until) ? longest.from : [],
  );
  const { length } = teams.filter(({ entries }) => entries > 0);
  if (starts.length * 2 <= length) return;
  const end = new Date(starts.toSorted().at(-1) as string);
  terminal.note(
    `Probably too long a period: ${starts.length} of ${length} teams have no log after ${formatTime(end.getTime())}. Try an earlier --until, or --orders.`,
  );
}

const sum = (teams: readonly TeamReport[], count: (team: TeamReport) => number | undefined) =>
  teams.reduce((total, team) => total + (count(team) ?? 0), 0);

/** Shows the orders to look at. */
async function showOrders(terminal: Terminal, orders: AsyncIterable<OrderReport>): Promise<void> {
  const found: OrderReport[] = [];
  for await (const order of orders) if (isToLookAt(order)) found.push(order);
  if (found.length === 0) return;
  await terminal.print('');
  await terminal.table(orderRows(found).slice(0, NAMED_ORDERS));
  const more = found.length - NAMED_ORDERS;
  if (more > 0) terminal.note(`Orders to look at that are not shown: ${more}. --json and --csv list all.`);
}

/** Shows the orders that several teams claim. Within a minute, nobody can say who named an order first. */
async function showContested(terminal: Terminal, contested: readonly ContestedOrder[]): Promise<void> {
  if (contested.length === 0) return;
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
  await terminal.print('');
  await terminal.table(rows);
  const more = contested.length - rows.length;
  if (more > 0) terminal.note(`Orders named by several teams that are not shown: ${more}. --json lists all.`);
}

function noteCutTexts(terminal: Terminal, teams: readonly TeamReport[]): void {
  const cut = teams.filter(({ cutTexts }) => cutTexts > 0).map(({ uid, cutTexts }) => `${cutTexts} of UID ${uid}`);
  if (cut.length === 0) return;
  terminal.note(`Logs of whose text only the first ${COMPARED_UNITS} characters were compared: ${cut.join(', ')}.`);
}

/** Returns the report for `--json`. Without any entry or order, there is no period. */
const describeReport = ({ period, contested }: Pick<Review, 'period' | 'contested'>, teams: readonly unknown[]) => ({
  period: period.until <= 1 ? null : { from: isoTime(period.from), until: isoTime(period.until) },
  teams,
  contestedOrders: contested.map(({ orderId, owner, claims }) => ({
    orderId,
    placedBy: owner,
    claims: claims.map(({ uid, logs, entryId, receivedAt }) => ({
      ...{ uid, logs, firstEntryId: entryId, firstReceived: isoTime(receivedAt) },
    })),
  })),
});

export default (terminal: Terminal) =>
  targetCommand('report', {
    summary: `Report on each team: its orders without an AI log, late logs, silences, repeated logs and incomplete logs.
The figures are reasons to look, not verdicts. docs/review.md explains each column.`,
    examples: [
      ['report', 'all teams, those to look at first'],
      ['report --orders orders.csv', 'compare with the orders of the exchange'],
      ['report --orders orders.csv --uid 1001', 'one team, with its orders, days, models and stages'],
      ['report --orders orders.csv --csv', 'one line per order with its delay, as CSV'],
      ['report --repeats', 'the logs that repeat each other'],
    ],
  })
    .option('--uid <uid>', 'report on this team only (repeatable)', uids)
    .option(
      '--orders <file>',
      'the orders that need an AI log: CSV or JSON with columns such as uid, order_id and time (repeatable)',
      texts,
    )
    .option('--time-zone <offset>', 'the offset from UTC of order times without one (default: UTC)', offset)
    .option('--within <span>', 'a log later than this after its order is late', span, WITHIN_MS)
    .option(
      '--since <date>',
      'the start of the period (default: the day of the first order, else the first entry)',
      date,
    )
    .option('--until <date>', 'the end of the period, exclusive (default: the end of the day of the last order)', date)
    .option('--repeats', 'list the logs that repeat each other, instead of the teams')
    .option('--csv [lines]', 'print CSV, one line per "team" or "order" (default: order with --orders)', csvLines)
    .addOption(noSync())
    .addOption(noCache())
    .addOption(engineOption())
    .action(async ({ uid: only, orders: paths, timeZone, csv, json, sync, cache, engine: name, ...options }) => {
      const { within, since, until, repeats, wide, ...where } = options;
      if (csv && json) throw new Failure('usage', 'Give either --json or --csv, not both.');
      if (timeZone && paths === undefined) throw new Failure('usage', '--time-zone belongs to --orders FILE.');
      if (since !== undefined && until !== undefined && since >= until) {
        throw new Failure('usage', '--since must be before --until.');
      }
      const lines = csv === true ? (paths === undefined ? 'team' : 'order') : csv;
      if (lines === 'order' && paths === undefined) throw new Failure('usage', '--csv order needs --orders FILE.');
      await withTarget(terminal, where, async (target) => {
        await withReviewedRows(terminal, target, { sync, cache, engine: name }, async (rows) => {
          const { engine } = rows;
          const uid = only?.length === 1 ? only[0] : undefined;
          const lists = paths?.map((path) => ({ path, uid }));
          const asked = { uids: only, lists, zone: timeZone, within, since, until };
          const review = await openReview(terminal, target, rows, asked);
          const { period, days } = review;
          const standings = await readStandingsIfAllowed(terminal, target);
          const teams = review.teams
            .map((team) => ({ ...team, verdicts: formatStanding(standings.get(team.uid)) ?? null }))
            .sort((a, b) => byConcern(a, b) || byUid(a, b));
          const shown = teams.map(({ uid }) => uid);
          if (repeats) {
            const all = await readGroups(engine);
            const groups = only ? all.filter((group) => group.some(({ log }) => shown.includes(log.uid))) : all;
            if (json) return terminal.json(groups.map(describeGroup));
            if (!csv) return showGroups(terminal, groups);
            for (const line of formatGroups(groups)) await terminal.write(line);
            return;
          }
          const orders = () => readOrderReports(engine, review.contested, shown);
          if (csv && teams.length > 0) {
            if (lines === 'team') return terminal.write(formatTeams(teams));
            for await (const line of formatOrders(orders())) await terminal.write(line);
            return;
          }
          const places = await countPlaces(terminal, target, rows);
          if (json) {
            const byTeam = lists && Map.groupBy(await Array.fromAsync(orders()), ({ uid }) => uid);
            const whole = teams.map((team) => ({
              ...team,
              ...(byTeam && { orderList: byTeam.get(team.uid) ?? [] }),
              tlog: places?.of(team.uid) ?? null,
            }));
            return terminal.json(describeReport(review, whole));
          }
          if (teams.length === 0) return terminal.note('There are no teams and no entries.');
          await terminal.table(wide ? teams.map(wideRow) : teams.flatMap(teamRows));
          const contested = review.contested.filter(({ owner, claims }) =>
            [owner, ...claims.map(({ uid }) => uid)].some((uid) => uid !== null && shown.includes(uid)),
          );
          if (only) {
            for (const table of teams.flatMap(detailTables)) {
              if (table.length === 0) continue;
              await terminal.print('');
              await terminal.table(table);
            }
            if (lists) await showOrders(terminal, orders());
            await showContested(terminal, contested);
          }
          if (lists) {
            const [all, logged] = [sum(teams, (team) => team.orders), sum(teams, (team) => team.ordersWithLog)];
            terminal.note(`Orders: ${all}, with an AI log: ${logged}, covered: ${formatShare(percent(logged, all))}.`);
            noteTimeZone(terminal, teams);
          }
          if (since === undefined && until === undefined && !lists && !only) notePeriod(terminal, teams, period.until);
          if (!only && contested.length > 0) terminal.note(`Orders named by several teams: ${contested.length}.`);
          noteCutTexts(terminal, teams);
          if (places) terminal.note(places.note(shown));
          const flagged = teams.filter(({ lookAt }) => lookAt.length > 0).length;
          if (!only)
            terminal.note(
              `Teams to look at: ${flagged} of ${teams.length}. --uid shows the orders and details of a team, --wide all figures.`,
            );
          terminal.note(
            period.until <= 1
              ? 'There are no entries and no orders.'
              : `Period${days ? ', the days of the orders' : ''}: ${formatTime(period.from)} to ${formatTime(period.until)}. Late: more than ${formatDuration(within)} after the order.`,
          );
        });
      });
    });
