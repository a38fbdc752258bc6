import { allowlistEditor } from '../data/allowlistEditor.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { bodyText } from '../logs/entryFormats.ts';
import { everyPage } from '../logs/everyPage.ts';
import { type Target, withTarget } from '../target.ts';
import { uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { byUid, formatTime } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { csvOf, describeTeam, detailTables, overviewRow, percent, share, type TeamReport } from './describeTeam.ts';
import { type Order, readOrders } from './orders.ts';
import { emptyTally, type Tally, tallyEntry } from './tally.ts';

type Orders = Map<string, Map<string, Order>>;

/** How many orders without an AI log the table names. */
const NAMED_ORDERS = 20;

/** Reads all entries once, and tells of every team that is listed, has entries or has orders. */
async function reportOn(terminal: Terminal, target: Target, owner: string | undefined, orders: Orders | undefined) {
  const tallies = new Map<string, Tally>();
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const { entries } of everyPage(terminal, reader, owner === undefined ? {} : { uid: owner })) {
    for (const entry of entries) {
      const tally = tallies.get(entry.uid) ?? emptyTally();
      tallies.set(entry.uid, tally);
      tallyEntry(tally, entry, bodyText(entry));
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
        tally: tallies.get(uid) ?? emptyTally(),
        orders: orders && [...(orders.get(uid)?.values() ?? [])],
      }),
    )
    .sort(byUid);
}

/** Names the orders that have no AI log, and tells how many of all have one. */
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
  if (more > 0) terminal.note(`Orders without AI log that are not shown: ${more}; --json and --csv name them all.`);
  const all = teams.reduce((sum, { orders = 0 }) => sum + orders, 0);
  const logged = all - unlogged.length;
  terminal.note(`Orders: ${all}, with an AI log: ${logged}, covered: ${share(percent(logged, all))}.`);
}

export const reportTeams = (terminal: Terminal) =>
  targetCommand('report', {
    summary:
      "Tell of every team what it uploaded, how complete it is by the competition's rule, and which of its orders have no AI log.",
    examples: [
      ['report', 'all teams, a line each'],
      ['report --uid 1001', 'one team, with its days, models and stages'],
      ['report --orders orders.csv --csv', 'with the coverage of an order list: uid,orderId,time'],
    ],
  })
    .option('--uid <uid>', 'only this team', uid)
    .option('--orders <file>', 'CSV with the columns uid, orderId, time: the orders that should have an AI log')
    .option('--csv', 'answer in CSV')
    .action(async ({ uid: owner, orders: file, csv, json, ...where }) => {
      if (csv && json) throw new Failure('usage', 'Give either --json or --csv, not both.');
      const orders = file === undefined ? undefined : readOrders(file);
      await withTarget(terminal, where, async (target) => {
        const teams = await reportOn(terminal, target, owner, orders);
        if (json) return terminal.json(teams);
        if (teams.length === 0) return terminal.note('There are no teams and no entries yet.');
        if (csv) return terminal.write(csvOf(teams));
        await terminal.table(teams.map(overviewRow));
        for (const table of owner === undefined ? [] : teams.flatMap(detailTables)) {
          if (table.length === 0) continue;
          await terminal.print('');
          await terminal.table(table);
        }
        if (orders) await showOrders(terminal, teams);
      });
    });
