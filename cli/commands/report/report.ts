import { InvalidArgumentError } from '@commander-js/extra-typings';
import { countPlaces } from '../../review/figures/countPlaces.ts';
import { openReview, type ReviewedRows } from '../../review/figures/openReview.ts';
import { byConcern } from '../../review/figures/overview.ts';
import { describeReport, printReport, showGroups } from '../../review/figures/printReport.ts';
import { describeGroup, formatGroups, readGroups } from '../../review/figures/repeats.ts';
import { formatOrders, formatTeams } from '../../review/figures/reportCsv.ts';
import { reviewCommand } from '../../review/figures/reviewCommand.ts';
import { engineOption, withReviewedRows } from '../../review/figures/reviewedRows.ts';
import { readOrderReports } from '../../review/figures/reviewTeams.ts';
import { formatStanding, readStandingsIfAllowed } from '../../review/verdicts/standing.ts';
import { uids } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { byUid } from '../../shell/text/uid.ts';
import { type Target, withTarget } from '../../store/targets/target.ts';

function csvLines(text: string): 'team' | 'order' {
  if (text !== 'team' && text !== 'order') throw new InvalidArgumentError('Give team, order or nothing.');
  return text;
}

type ReportOptions = ReturnType<ReturnType<typeof reportCommand>['opts']>;

/** @throws Failure if options contradict each other */
function requireConsistent({ csv, json, timeZone, orders, since, until }: ReportOptions): void {
  if (csv && json) throw new Failure('usage', 'Give either --json or --csv, not both.');
  if (timeZone && orders === undefined) throw new Failure('usage', '--time-zone belongs to --orders FILE.');
  if (since !== undefined && until !== undefined && since >= until) {
    throw new Failure('usage', '--since must be before --until.');
  }
  if (csv === 'order' && orders === undefined) throw new Failure('usage', '--csv order needs --orders FILE.');
}

async function reportRun(terminal: Terminal, target: Target, rows: ReviewedRows, options: ReportOptions) {
  const { uid: only, orders: paths, timeZone: zone, since, until, repeats, csv, json, wide = false } = options;
  const { within, childGap } = options;
  const limits = { within, childGap, since, until };
  const lists = paths?.map((path) => ({ path, uid: only?.length === 1 ? only[0] : undefined }));
  const review = await openReview(terminal, target, rows, { uids: only, lists, zone, ...limits });
  const standings = await readStandingsIfAllowed(terminal, target);
  const teams = review.teams
    .map((team) => ({ ...team, verdicts: formatStanding(standings.get(team.uid)) ?? null }))
    .sort((a, b) => byConcern(a, b) || byUid(a, b));
  const shown = teams.map(({ uid }) => uid);
  if (repeats) {
    const all = await readGroups(rows.engine);
    const groups = only ? all.filter((group) => group.some(({ log }) => shown.includes(log.uid))) : all;
    if (json) return terminal.json(groups.map(describeGroup));
    if (!csv) return showGroups(terminal, groups);
    for (const line of formatGroups(groups)) await terminal.write(line);
    return;
  }
  const orders = () => readOrderReports(rows.engine, review.contested, shown);
  if (csv && teams.length > 0) {
    if (csv === 'team' || !lists) return terminal.write(formatTeams(teams));
    for await (const line of formatOrders(orders())) await terminal.write(line);
    return;
  }
  const report = {
    ...review,
    teams,
    orders,
    places: rows.stored && (await countPlaces(terminal, target, rows.engine)),
  };
  if (json) return terminal.json(await describeReport(report));
  const isOpen = since === undefined && until === undefined;
  await printReport(terminal, report, { isOfSome: only !== undefined, isOpen, wide });
}

const reportCommand = () =>
  reviewCommand('report', {
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
    .option('--repeats', 'list the logs that repeat each other, instead of the teams')
    .option('--csv [lines]', 'print CSV, one line per "team" or "order" (default: order with --orders)', csvLines)
    .addOption(engineOption());

export default (terminal: Terminal) =>
  reportCommand().action(async (options) => {
    requireConsistent(options);
    await withTarget(terminal, options, (target) =>
      withReviewedRows(terminal, target, options, (rows) => reportRun(terminal, target, rows, options)),
    );
  });
