import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { collectReview } from '../analysis/collectReview.ts';
import { countPlaces } from '../analysis/countPlaces.ts';
import { describeTeam, percent, type TeamReport } from '../analysis/describeTeam.ts';
import { explainOrders } from '../analysis/explainOrders.ts';
import { detailTables, formatShare, orderRows, overviewRow } from '../analysis/overview.ts';
import { daysOf, isWithin } from '../analysis/period.ts';
import { readOrders } from '../analysis/readOrders.ts';
import { concerns, describeGroup, formatGroups, memberRows, pairRows, titleOf } from '../analysis/repeats.ts';
import { formatOrders, formatTeams } from '../analysis/reportCsv.ts';
import type { Review } from '../analysis/reviewTeams.ts';
import { isSameTime } from '../analysis/sameTime.ts';
import { COMPARED_UNITS } from '../analysis/words.ts';
import { withTarget } from '../target/target.ts';
import { date, offset, span, uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatDuration, formatTime } from '../text/time.ts';
import { byUid } from '../text/uid.ts';
import { visible } from '../text/visible.ts';

/** The competition's time limit from an order to its log. */
const WITHIN = '60s';

/** The maximum number of orders in a table, of groups, and of logs in a group. */
const NAMED_ORDERS = 20;
const NAMED_GROUPS = 10;
const NAMED_LOGS = 5;

type Claim = Review['contested'][number]['claims'][number];

function csvLines(text: string): 'team' | 'order' {
  if (text !== 'team' && text !== 'order') throw new InvalidArgumentError('Give team, order or nothing.');
  return text;
}

async function showGroups(terminal: Terminal, groups: Review['groups']): Promise<void> {
  if (groups.length === 0) return terminal.note('No logs repeat each other.');
  await terminal.table(pairRows(groups));
  for (const [index, group] of groups.slice(0, NAMED_GROUPS).entries()) {
    await terminal.print(`\n${titleOf(group, index + 1)}`);
    await terminal.table(memberRows(group, NAMED_LOGS));
    if (group.size > NAMED_LOGS) await terminal.print(`… and ${group.size - NAMED_LOGS} more`);
  }
  const more = groups.length - NAMED_GROUPS;
  if (more > 0) terminal.note(`Groups that are not shown: ${more}.`);
  terminal.note('--json and --csv list all groups and all logs. ailog logs show ENTRY shows a log.');
}

/** Shows the orders to look at, and the coverage of all orders. */
async function showOrders(terminal: Terminal, teams: readonly TeamReport[]): Promise<void> {
  const rows = orderRows(teams);
  if (rows.length > 0) {
    await terminal.print('');
    await terminal.table(rows.slice(0, NAMED_ORDERS));
  }
  const more = rows.length - NAMED_ORDERS;
  if (more > 0)
    terminal.note(`Orders to look at that are not shown: ${more}. --uid limits them; --json and --csv list all.`);
  const total = (count: (team: TeamReport) => number | undefined) =>
    teams.reduce((sum, team) => sum + (count(team) ?? 0), 0);
  const [all, logged] = [total(({ orders }) => orders), total(({ ordersWithLog }) => ordersWithLog)];
  terminal.note(`Orders: ${all}, with an AI log: ${logged}, covered: ${formatShare(percent(logged, all))}.`);
}

/**
 * Returns a claim with its first log. Within a minute of the very first one, nobody can say who named the order first.
 */
const formatClaim = ({ uid, first }: Claim, earliest: Claim): string =>
  `${uid} (${first.entryId}${uid !== earliest.uid && isSameTime(first.receivedAt, earliest.first.receivedAt) ? ', at the same time' : ''})`;

/** Shows the orders that several teams claim. */
async function showContested(terminal: Terminal, contested: Review['contested'], shown: ReadonlySet<string>) {
  const rows = contested
    .filter(({ claims }) => claims.some(({ uid }) => shown.has(uid)))
    .map(({ orderId, owner, claims }) => ({
      'order named by several teams': orderId,
      'placed by': owner ?? '–',
      'named by': claims.map((claim) => formatClaim(claim, claims[0] as (typeof claims)[number])).join(', '),
    }));
  if (rows.length === 0) return;
  await terminal.print('');
  await terminal.table(rows.slice(0, NAMED_ORDERS));
  const more = rows.length - NAMED_ORDERS;
  if (more > 0) terminal.note(`Orders named by several teams that are not shown: ${more}. --json lists all.`);
}

function noteCutTexts(terminal: Terminal, teams: readonly TeamReport[]): void {
  const cut = teams
    .filter(({ cutTexts }) => cutTexts > 0)
    .map(({ uid, cutTexts }) => `${cutTexts} of UID ${visible(uid)}`);
  if (cut.length === 0) return;
  terminal.note(`Logs of whose text only the first ${COMPARED_UNITS} characters were compared: ${cut.join(', ')}.`);
}

/** Returns the report for `--json`. */
const describeReport = ({ period, contested }: Review, teams: readonly TeamReport[]) => ({
  // Without any entry or order, there is no period.
  period:
    period.from === 0
      ? null
      : { from: new Date(period.from).toISOString(), until: new Date(period.until).toISOString() },
  teams,
  contestedOrders: contested.map(({ orderId, owner, claims }) => ({
    orderId,
    placedBy: owner ?? null,
    claims: claims.map(({ uid, logs, first }) => ({
      uid,
      logs,
      firstEntryId: first.entryId,
      firstReceived: new Date(first.receivedAt).toISOString(),
    })),
  })),
});

export default (terminal: Terminal) =>
  targetCommand('report', {
    summary: `Report on each team: its orders without an AI log, late logs, silences, repeated logs and incomplete logs.
The figures are reasons to look, not verdicts. docs/review.md explains each column.`,
    examples: [
      ['report', 'all teams, the longest silence first'],
      ['report --orders orders.csv', 'compare with the orders of the exchange'],
      ['report --orders orders.csv --uid 1001', 'one team, with its orders, days, models and stages'],
      ['report --orders orders.csv --csv', 'one line per order with its delay, as CSV'],
      ['report --repeats', 'the logs that repeat each other'],
    ],
  })
    .option('--uid <uid>', 'report on this team only (repeatable)', uids)
    .option('--orders <file>', 'the orders that need an AI log: CSV with columns such as uid, order_id and time')
    .option('--time-zone <offset>', 'the offset from UTC of order times without one (default: UTC)', offset)
    .option('--within <span>', 'a log later than this after its order is late', span, span(WITHIN))
    .option(
      '--since <date>',
      'the start of the period (default: the day of the first order, else the first entry)',
      date,
    )
    .option('--until <date>', 'the end of the period, exclusive (default: the end of the day of the last order)', date)
    .option('--repeats', 'list the logs that repeat each other, instead of the teams')
    .option('--csv [lines]', 'print CSV, one line per "team" or "order" (default: order with --orders)', csvLines)
    .action(async ({ uid: only, orders: file, timeZone, within, since, until, repeats, csv, json, ...where }) => {
      if (csv && json) throw new Failure('usage', 'Give either --json or --csv, not both.');
      if (timeZone && file === undefined) throw new Failure('usage', '--time-zone belongs to --orders FILE.');
      if (since !== undefined && until !== undefined && since >= until) {
        throw new Failure('usage', '--since must be before --until.');
      }
      const lines = csv === true ? (file === undefined ? 'team' : 'order') : csv;
      if (lines === 'order' && file === undefined) throw new Failure('usage', '--csv order needs --orders FILE.');
      const list = file === undefined ? undefined : readOrders(resolve(terminal.cwd(), file), timeZone);
      if (file !== undefined && list) explainOrders(terminal, file, list);
      await withTarget(terminal, where, async (target) => {
        // Logs of other days, such as those of a test, would make every team look silent.
        const isOpen = since === undefined && until === undefined;
        const days = isOpen && list ? daysOf(list.orders, await target.now()) : undefined;
        const limits = {
          within,
          tolerance: CLOCK_TOLERANCE_MS,
          since: since ?? days?.from,
          until: until ?? days?.until,
        };
        const places = await countPlaces(terminal, target, limits);
        const { review, allowlist } = await collectReview(terminal, target, {
          ...(only && { uids: only }),
          ...(list && { orders: list.orders }),
          limits,
          visit: places.visit,
          withRowKeys: places.areKnown,
        });
        const outside = list?.orders.filter(({ placedAt }) => !isWithin(placedAt, review.period)).length ?? 0;
        if (outside > 0) terminal.note(`Orders outside the period, which are not reviewed: ${outside}.`);
        const shown = new Set(review.teams.map(({ uid }) => uid));
        if (repeats) {
          const groups = only ? review.groups.filter((group) => concerns(group, shown)) : review.groups;
          if (json) return terminal.json(groups.map(describeGroup));
          if (!csv) return showGroups(terminal, groups);
          for (const line of formatGroups(groups)) await terminal.write(line);
          return;
        }
        const longest = ({ silences: [silence] }: TeamReport) => silence?.seconds ?? 0;
        const teams = review.teams
          .map((team) => describeTeam(team, allowlist.get(team.uid), limits))
          .sort((a, b) => longest(b) - longest(a) || byUid(a, b));
        if (json) {
          return terminal.json(
            describeReport(
              review,
              teams.map((team) => ({ ...team, tlog: places.of(team.uid) })),
            ),
          );
        }
        if (teams.length === 0) return terminal.note('There are no teams and no entries.');
        if (csv) {
          return terminal.write(
            lines === 'order' ? formatOrders(teams.flatMap(({ orderList = [] }) => orderList)) : formatTeams(teams),
          );
        }
        await terminal.table(teams.map(overviewRow));
        for (const table of only === undefined ? [] : teams.flatMap(detailTables)) {
          if (table.length === 0) continue;
          await terminal.print('');
          await terminal.table(table);
        }
        if (list) await showOrders(terminal, teams);
        await showContested(terminal, review.contested, shown);
        noteCutTexts(terminal, teams);
        for (const note of places.notes(shown)) terminal.note(note);
        terminal.note(
          review.period.from === 0
            ? 'There are no entries and no orders.'
            : `Period${days ? ', the days of the orders' : ''}: ${formatTime(review.period.from)} to ${formatTime(review.period.until)}. Late: more than ${formatDuration(within)} after the order.`,
        );
      });
    });
