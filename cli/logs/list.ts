import pLimit from 'p-limit';
import type { Entry } from '../../functions/ailog/entry.ts';
import { describeEntry } from '../entries/describeEntry.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { entryCommand, readFilter } from '../entries/entryCommand.ts';
import type { EntryFilter, EntryKey } from '../entries/entryFilter.ts';
import { noteNoMatch } from '../entries/noteNoMatch.ts';
import { requireKnownUids } from '../entries/requireKnownUids.ts';
import { withTarget } from '../target/target.ts';
import { count } from '../terminal/arguments.ts';
import type { Row } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatTime } from '../text/time.ts';

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

/** The number of UIDs that are read at the same time. */
const CONCURRENCY = 8;

type Reader = ReturnType<typeof entriesReader>;

interface Found {
  readonly entries: readonly Entry[];
  readonly rest?: string | undefined;
}

const newestFirst = (a: Entry, b: Entry) => (a.entryId < b.entryId ? 1 : -1);

async function readNewestOf(reader: Reader, filter: EntryFilter, uid: string, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: EntryKey | undefined;
  do {
    const options = { after, newestFirst: true, limit: Math.max(limit, 100) };
    const page = await reader.page({ ...filter, uids: [uid] }, options);
    found.push(...page.entries);
    after = page.next;
  } while (after && found.length < limit);
  return found.slice(0, limit);
}

/**
 * Reads the newest entries of all UIDs, or of chosen ones, and merges them. The work grows with the UIDs, not with the
 * entries.
 */
async function readNewest(reader: Reader, filter: EntryFilter, limit: number): Promise<Found> {
  const inTurn = pLimit(CONCURRENCY);
  const searches: Promise<Entry[]>[] = [];
  for await (const uid of filter.uids ?? reader.uids()) {
    searches.push(inTurn(() => readNewestOf(reader, filter, uid, limit)));
  }
  const entries = (await Promise.all(searches)).flat().sort(newestFirst).slice(0, limit);
  return { entries, ...(entries.length === limit && { rest: `Shown: the newest ${limit}. --limit N shows more.` }) };
}

/** Reads the newest entries of an order for each team, so that no team's uploads can push out those of another. */
async function readNewestOfOrder(
  reader: Reader,
  filter: EntryFilter & { orderId: bigint },
  limit: number,
): Promise<Found> {
  const teams = await reader.newestOfOrder(filter, limit);
  const more = teams.filter((team) => team.more > 0).map((team) => `${team.more} of UID ${team.uid}`);
  return {
    entries: teams.flatMap(({ entries }) => entries),
    ...(more.length > 0 && {
      rest: `Shown: the newest ${limit} of each team. Not shown: ${more.join(', ')}. --limit N shows more.`,
    }),
  };
}

export default (terminal: Terminal) =>
  entryCommand('list', {
    summary: 'Show entries, the newest first. The entries of an order are grouped by team.',
    examples: [
      ['logs list', `the newest ${DEFAULT_LIMIT} entries of all teams`],
      ['logs list --uid 1001 --since 2025-11-14 --limit 100', 'the entries of one team since a day'],
      ['logs list --order 590480926522704171', 'the entries of an order, by team'],
    ],
  })
    .option('--limit <n>', 'the maximum number of entries; with --order, of each team', count, DEFAULT_LIMIT)
    .action(async ({ limit, json, ...options }) => {
      const filter = readFilter(options);
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        const reader = entriesReader(target.db, target.tables.aiLogs);
        const { orderId } = filter;
        const { entries, rest } = await (orderId === undefined
          ? readNewest(reader, filter, limit)
          : readNewestOfOrder(reader, { ...filter, orderId }, limit));
        if (json) return terminal.json(entries.map((entry) => describeEntry(entry)));
        if (entries.length === 0) return noteNoMatch(terminal, reader, filter);
        await terminal.table(entries.map(entryRow));
        if (rest !== undefined) terminal.note(rest);
      });
    });
