import { resolve } from 'node:path';
import { countPlaces } from '../review/figures/countPlaces.ts';
import { openReview } from '../review/figures/openReview.ts';
import { byConcern } from '../review/figures/overview.ts';
import { describeGroup, formatGroups, readGroups } from '../review/figures/repeats.ts';
import { formatOrders, formatTeams } from '../review/figures/reportCsv.ts';
import { onReviewedRows } from '../review/figures/reviewedRows.ts';
import { reviewOptions } from '../review/figures/reviewOptions.ts';
import { readOrderReports } from '../review/figures/reviewTeams.ts';
import { applyRules } from '../review/figures/rules.ts';
import { describeReport, showGroups, showReport } from '../review/figures/showReport.ts';
import { readCopied } from '../review/figures/teamParagraph.ts';
import { findShifts } from '../review/figures/zoneHint.ts';
import { formatStanding, readStandingsIfAllowed } from '../review/verdicts/standing.ts';
import { uids } from '../shell/terminal/arguments.ts';
import { defineCommand } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { byUid } from '../shell/text/uid.ts';

const { since: _since, until: _until, ...options } = reviewOptions;

export default defineCommand({
  words: 'report',
  for: 'Reviewers',
  summary: 'Report on each team: orders without an AI log, late logs, silences, repeated and incomplete logs.',
  details: 'The figures are reasons to look, not verdicts. docs/review.md explains each column.',
  examples: [
    ['report', 'all teams, those to look at first'],
    ['report --orders orders.csv', 'compare with the orders of the exchange'],
    ['report --orders orders.csv --uid 1001', 'one team, with its orders, days, models and stages'],
    ['report --orders orders.csv --csv', 'one line per order with its delay, as CSV'],
    ['report --repeats', 'the logs that repeat each other'],
  ],
  options: {
    ...options,
    only: { flags: '--uid <uid>', help: 'report on this team only (repeatable)', read: uids },
    repeats: { flags: '--repeats', help: 'list the logs that repeat each other, instead of the teams' },
    lines: {
      flags: '--lines <what>',
      help: 'what a line of --csv is (default: an order with --orders, else a team)',
      choices: ['team', 'order'],
    },
  },
  check({ zone, orders, lines }) {
    if (zone && orders === undefined) throw new Failure('usage', '--time-zone belongs to --orders FILE.');
    if (lines === 'order' && orders === undefined) throw new Failure('usage', '--lines order needs --orders FILE.');
  },
  on: onReviewedRows,
  forms: ['wide', 'csv'],
  async run({ only, orders: paths, zone, rules, repeats, ...asked }, { target, rows, since, until, terminal }) {
    const limits = { ...applyRules(rules && resolve(terminal.cwd(), rules), asked), since, until };
    const lists = paths?.map((path) => ({ path, uid: only?.length === 1 ? only[0] : undefined }));
    const review = await openReview(terminal, target, rows, { uids: only, lists, zone, ...limits });
    const standings = await readStandingsIfAllowed(terminal, target);
    const teams = review.teams
      .map((team) => ({ ...team, verdicts: formatStanding(standings.get(team.uid)) ?? null }))
      .sort((a, b) => byConcern(a, b) || byUid(a, b));
    const shown = teams.map(({ uid }) => uid);
    if (repeats) {
      const all = await readGroups(rows.engine);
      return { groups: only ? all.filter((group) => group.some(({ log }) => shown.includes(log.uid))) : all };
    }
    return {
      report: {
        ...review,
        teams,
        copied: only ? await readCopied(rows.engine, shown) : [],
        orders: () => readOrderReports(rows.engine, review.contested, shown),
        shifts: await findShifts(rows.engine),
        places: rows.stored && (await countPlaces(terminal, target, rows.engine)),
      },
      isOpen: since === undefined && until === undefined,
    };
  },
  json: ({ groups, report }) => (groups ? groups.map(describeGroup) : describeReport(report)),
  csv({ groups, report }, { orders, lines = orders ? 'order' : 'team' }) {
    if (groups) return formatGroups(groups);
    if (report.teams.length === 0) return [];
    return lines === 'team' ? [formatTeams(report.teams)] : formatOrders(report.orders());
  },
  shows: ({ groups, report, isOpen }, { only }) =>
    groups ? showGroups(groups) : showReport(report, { isOfSome: only !== undefined, isOpen }),
});
