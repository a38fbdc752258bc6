import pMap from 'p-map';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { type BiggestOrder, importBiggest } from '../../review/orders/importOrders.ts';
import { findCandidates } from '../../review/rows/filterRows.ts';
import { noCache, noSync, type OpenRows, withRows } from '../../review/rows/openRows.ts';
import { count, offset } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Row } from '../../shell/terminal/format.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { describeEntry } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter, EntryKey } from '../../store/entries/entryFilter.ts';
import { entryCommand, noteValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { withTarget } from '../../store/targets/target.ts';

const entryRow = ({ uid, entryId, timestamp, orderId, stage, model, bodyBytes }: Entry): Row => ({
  uid,
  entry: entryId,
  signed: formatTime(Number(timestamp)),
  order: orderId,
  stage,
  model,
  bytes: bodyBytes,
});

const DEFAULT_LIMIT = 20;

const IN_TURN = { concurrency: 8 };

type Reader = ReturnType<typeof entriesReader>;

/** Entries that were found, and a sentence if there may be more. */
type Found = { readonly entries: readonly Entry[]; readonly rest: string | undefined };

function newestOf(found: readonly Entry[], limit: number): Found {
  const entries = found.toSorted((a, b) => (a.entryId < b.entryId ? 1 : -1)).slice(0, limit);
  return { entries, rest: entries.length === limit ? `Shown: the newest ${limit}. --limit N shows more.` : undefined };
}

async function readNewestOf(reader: Reader, filter: EntryFilter, uid: string, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: EntryKey | undefined;
  do {
    const page = await reader.page(uid, filter, { after, newestFirst: true, limit: Math.max(limit, 100) });
    found.push(...page.entries);
    after = page.next;
  } while (after && found.length < limit);
  return found.slice(0, limit);
}

/** Reads the newest entries of all UIDs, or of chosen ones. The work grows with the UIDs, not with the entries. */
async function readNewest(reader: Reader, filter: EntryFilter, limit: number): Promise<Found> {
  const read = (uid: string) => readNewestOf(reader, filter, uid, limit);
  return newestOf((await pMap(filter.uids ?? reader.uids(), read, IN_TURN)).flat(), limit);
}

/** Finds the newest entries by their rows: only these tell a stage or a model without reading every entry. */
async function findNewest(rows: OpenRows, reader: Reader, filter: EntryFilter, limit: number): Promise<Found> {
  const found: Entry[] = [];
  const { entries } = await findCandidates(rows, reader, filter);
  for await (const batch of entries()) {
    found.push(...batch.flatMap(({ entry }) => entry ?? []));
    if (found.length >= limit) break;
  }
  return newestOf(found, limit);
}

/** Reads the newest entries of an order for each team, so that no team's uploads can push out those of another. */
async function readNewestOfOrder(reader: Reader, filter: EntryFilter & { orderId: bigint }, limit: number) {
  const teams = await reader.newestOfOrder(filter, limit);
  const more = teams.filter((team) => team.more > 0).map((team) => `${team.more} of UID ${team.uid}`);
  const rest = `Shown: the newest ${limit} of each team. Not shown: ${more.join(', ')}. --limit N shows more.`;
  return { entries: teams.flatMap(({ entries }) => entries), rest: more.length > 0 ? rest : undefined };
}

/** Shows the last entries that each team signed before its biggest order, the biggest order of all first. */
async function listBeforeBiggest(
  terminal: Terminal,
  reader: Reader,
  filter: EntryFilter,
  { biggest, limit, json }: { biggest: readonly BiggestOrder[]; limit: number; json: true | undefined },
): Promise<void> {
  const wanted = biggest.filter(({ uid }) => filter.uids?.includes(uid) ?? true);
  const read = async (order: BiggestOrder) => {
    const until = Math.min(order.placedAt + 1, filter.until ?? Number.POSITIVE_INFINITY);
    return { order, entries: await readNewestOf(reader, { ...filter, until }, order.uid, limit) };
  };
  const teams = await pMap(wanted, read, IN_TURN);
  const before = (entry: Entry, { placedAt }: BiggestOrder) => placedAt - Number(entry.timestamp);
  if (json) {
    const described = teams.flatMap(({ order, entries }) =>
      entries.map((entry) => ({ ...describeEntry(entry), biggestOrder: order, beforeMs: before(entry, order) })),
    );
    return terminal.json(described);
  }
  const rows = teams.flatMap(({ order, entries }) =>
    (entries.length === 0 ? [undefined] : entries).map((entry) => ({
      uid: order.uid,
      'biggest order': order.orderId,
      value: Number(order.value.toPrecision(6)),
      placed: formatTime(order.placedAt),
      before: entry ? formatDuration(before(entry, order)) : '–',
      entry: entry?.entryId ?? 'no log before it',
      stage: entry?.stage,
      model: entry?.model,
    })),
  );
  if (rows.length === 0) return terminal.note('The order list has no orders of these teams.');
  await terminal.table(rows);
}

export default (terminal: Terminal) =>
  entryCommand('list', {
    summary: 'Show entries, the newest first. The entries of an order are grouped by team.',
    examples: [
      ['logs list', `the newest ${DEFAULT_LIMIT} entries of all teams`],
      ['logs list --uid 1001 --since 2025-11-14 --limit 100', 'the entries of one team since a day'],
      ['logs list --order 590480926522704171', 'the entries of an order, by team'],
      ['logs list --before-biggest-order orders.csv', 'what each team wrote before its biggest order'],
    ],
  })
    .option(
      '--limit <n>',
      `the maximum number of entries (default: ${DEFAULT_LIMIT}); of each team with --order and --before-biggest-order (default: 1)`,
      count,
    )
    .option('--before-biggest-order <file>', 'the last entry of each team before its biggest order in this order list')
    .option('--time-zone <offset>', 'the offset from UTC of order times without one (default: UTC)', offset)
    .addOption(noSync())
    .addOption(noCache())
    .action(async ({ beforeBiggestOrder: file, timeZone, limit: given, json, sync, cache, ...options }) => {
      const filter = readFilter(options);
      if (timeZone && !file) throw new Failure('usage', '--time-zone belongs to --before-biggest-order FILE.');
      // A list of one account has no UID.
      const uid = filter.uids?.length === 1 ? filter.uids[0] : undefined;
      const biggest = file === undefined ? undefined : await importBiggest(terminal, { path: file, uid }, timeZone);
      const limit = given ?? (biggest ? 1 : DEFAULT_LIMIT);
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        const reader = entriesReader(target);
        if (biggest) return listBeforeBiggest(terminal, reader, filter, { biggest, limit, json });
        const { orderId } = filter;
        const inRows = cache && (filter.stage !== undefined || filter.model !== undefined);
        const { entries, rest } = await (orderId !== undefined
          ? readNewestOfOrder(reader, { ...filter, orderId }, limit)
          : inRows
            ? withRows(terminal, target, { sync }, (rows) => findNewest(rows, reader, filter, limit))
            : readNewest(reader, filter, limit));
        if (json) return terminal.json(entries.map((entry) => describeEntry(entry)));
        if (entries.length === 0) {
          terminal.note('No entry matches.');
          return noteValues(terminal, target, filter);
        }
        await terminal.table(entries.map(entryRow));
        if (rest !== undefined) terminal.note(rest);
      });
    });
