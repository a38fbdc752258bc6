import { allowlistEditor } from '../data/allowlistEditor.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { readBodyText } from '../logs/readBodyText.ts';
import { readPages } from '../logs/readPages.ts';
import { type Target, withTarget } from '../target.ts';
import { uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { byUid, formatTime } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  describeTeam,
  detailTables,
  formatCsv,
  formatShare,
  overviewRow,
  percent,
  type TeamReport,
} from './describeTeam.ts';
import { type Order, readOrders } from './orders.ts';
import { createTally, type Tally, tallyEntry } from './tally.ts';

type Orders = Map<string, Map<string, Order>>;

/** The maximum number of orders without an AI log in the table. */
const NAMED_ORDERS = 20;

/** Reads all entries once and describes every team that is on the allowlist, has entries or has orders. */
async function createReport(terminal: Terminal, target: Target, owner: string | undefined, orders: Orders | undefined) {
  const tallies = new Map<string, Tally>();
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const { entries } of readPages(terminal, reader, owner === undefined ? {} : { uids: [owner] })) {
    for (const entry of entries) {
      const tally = tallies.get(entry.uid) ?? createTally();
      tallies.set(entry.uid, tally);
      tallyEntry(tally, entry, readBodyText(entry));
      const order = orders?.get(entry.uid)?.get(String(entry.orderId));
      if (order) order.logged = true;
    }
  }
  const listed = await Array.fromAsync(allowlistEditor(target.db, target.tables.allowlist).all());
  const allowlistEntries = new Map(listed.map((entry) => [entry.uid, entry]));
  const current = listed.filter(({ status }) => status !== 'removed').map((entry) => entry.uid);
  const uids = owner === undefined ? new Set([...current, ...tallies.keys(), ...(orders?.keys() ?? [])]) : [owner];
  return [...uids]
    .map((uid) =>
      describeTeam(uid, {
        allowlistEntry: allowlistEntries.get(uid),
        tally: tallies.get(uid) ?? createTally(),
        orders: orders && [...(orders.get(uid)?.values() ?? [])],
      }),
    )
    .sort(byUid);
}

/** Shows the orders without an AI log, and the coverage of all orders. */
async function showOrders(terminal: Terminal, teams: readonly TeamReport[]): Promise<void> {
  const unlogged = teams.flatMap(({ uid, ordersWithoutLog = [] }) =>
    ordersWithoutLog.map(({ orderId, time }) => ({
      uid,
      'order without AI log': orderId,
      placed: formatTime(Date.parse(time)),
    })),
  );
  if (unlogged.length > 0) {
    await terminal.print('');
    await terminal.table(unlogged.slice(0, NAMED_ORDERS));
  }
  const more = unlogged.length - NAMED_ORDERS;
  if (more > 0) terminal.note(`Orders without AI log that are not shown: ${more}. --json and --csv list all of them.`);
  const all = teams.reduce((sum, { orders = 0 }) => sum + orders, 0);
  const logged = all - unlogged.length;
  terminal.note(`Orders: ${all}, with an AI log: ${logged}, covered: ${formatShare(percent(logged, all))}.`);
}

export const reportTeams = (terminal: Terminal) =>
  targetCommand('report', {
    summary:
      'Report on each team: its uploads, how many are complete by the rule of the competition, and its orders without an AI log.',
    examples: [
      ['report', 'report on all teams'],
      ['report --uid 1001', 'report on one team, with days, models and stages'],
      ['report --orders orders.csv --csv', 'add the coverage of an order list, as CSV'],
    ],
  })
    .option('--uid <uid>', 'report on this team only', uid)
    .option('--orders <file>', 'the orders that need an AI log: CSV with the columns uid, orderId, time')
    .option('--csv', 'print the answer as CSV')
    .action(async ({ uid: owner, orders: file, csv, json, ...where }) => {
      if (csv && json) throw new Failure('usage', 'Give either --json or --csv, not both.');
      const orders = file === undefined ? undefined : readOrders(file);
      await withTarget(terminal, where, async (target) => {
        const teams = await createReport(terminal, target, owner, orders);
        if (json) return terminal.json(teams);
        if (teams.length === 0) return terminal.note('There are no teams and no entries.');
        if (csv) return terminal.write(formatCsv(teams));
        await terminal.table(teams.map(overviewRow));
        for (const table of owner === undefined ? [] : teams.flatMap(detailTables)) {
          if (table.length === 0) continue;
          await terminal.print('');
          await terminal.table(table);
        }
        if (orders) await showOrders(terminal, teams);
      });
    });
