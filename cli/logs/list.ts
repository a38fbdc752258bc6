import pLimit from 'p-limit';
import type { Entry } from '../../functions/ailog/entry.ts';
import { type EntryFilter, type EntryKey, entriesReader } from '../data/entriesReader.ts';
import { withTarget } from '../target.ts';
import { count } from '../terminal/arguments.ts';
import { formatTime } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeEntry } from './describeEntry.ts';
import { entryCommand, readFilter } from './entryCommand.ts';

const DEFAULT_LIMIT = 20;

/** The number of UIDs that are read at the same time. */
const CONCURRENCY = 8;

type Reader = ReturnType<typeof entriesReader>;

const newestFirst = (a: Entry, b: Entry) => (a.entryId < b.entryId ? 1 : -1);

/** Reads the newest entries of a UID or of an order. */
async function readNewest(reader: Reader, filter: EntryFilter, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: EntryKey | undefined;
  do {
    const page = await reader.page(filter, { after, newestFirst: true, limit: Math.max(limit, 100) });
    found.push(...page.entries);
    after = page.next;
    // The entries of an order are not sorted: all of them must be read.
  } while (after && (filter.orderId !== undefined || found.length < limit));
  return found.sort(newestFirst).slice(0, limit);
}

/** Reads the newest entries of all UIDs and merges them. The work grows with the teams, not with the entries. */
async function readNewestOfAll(reader: Reader, filter: EntryFilter, limit: number): Promise<Entry[]> {
  const inTurn = pLimit(CONCURRENCY);
  const searches: Promise<Entry[]>[] = [];
  for await (const uid of reader.uids()) searches.push(inTurn(() => readNewest(reader, { ...filter, uid }, limit)));
  return (await Promise.all(searches)).flat().sort(newestFirst).slice(0, limit);
}

export const listEntries = (terminal: Terminal) =>
  entryCommand('list', {
    summary: 'Show entries, the newest first.',
    examples: [
      ['logs list', `the newest ${DEFAULT_LIMIT} entries of all teams`],
      ['logs list --uid 1001 --since 2025-11-14 --limit 100', 'the entries of one team since a day'],
      ['logs list --order 590480926522704171', 'the entries of an order'],
    ],
  })
    .option('--limit <n>', 'the maximum number of entries', count, DEFAULT_LIMIT)
    .action(async ({ limit, json, ...options }) => {
      const filter = readFilter(options);
      await withTarget(terminal, options, async (target) => {
        const reader = entriesReader(target.db, target.tables.aiLogs);
        const search = filter.uid === undefined && filter.orderId === undefined ? readNewestOfAll : readNewest;
        const entries = await search(reader, filter, limit);
        if (json) return terminal.json(entries.map(describeEntry));
        if (entries.length === 0) return terminal.note('No entry matches.');
        await terminal.table(
          entries.map(({ uid, entryId, timestamp, orderId, stage, model, bodyBytes }) => ({
            uid,
            entry: entryId,
            signed: formatTime(Number(timestamp)),
            order: orderId,
            stage,
            model,
            bytes: bodyBytes,
          })),
        );
        if (entries.length === limit) terminal.note(`Shown: the newest ${limit}. --limit N shows more.`);
      });
    });
