import pMap from 'p-map';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { findCandidates, nameRowValues } from '../../review/rows/filterRows.ts';
import { noSync, type OpenRows, withRows } from '../../review/rows/openRows.ts';
import { count } from '../../shell/terminal/arguments.ts';
import { defineCommand, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Row } from '../../shell/terminal/format.ts';
import { formatTime } from '../../shell/text/time.ts';
import { describeEntry, readBodyText } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter, EntryKey } from '../../store/entries/entryFilter.ts';
import { findText, type TextMatch } from '../../store/entries/findText.ts';
import { entryOptions, nameValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

type Found = { readonly entry: Entry; readonly match?: TextMatch | undefined };

type Listed = {
  readonly found: readonly Found[];
  readonly rest?: string | undefined;
  readonly values?: readonly string[];
};

const rowOf = ({ entry, match }: Found): Row => {
  const { uid, entryId, timestamp, orderId, stage, model, bodyBytes } = entry;
  const signed = formatTime(Number(timestamp));
  return match
    ? { uid, entry: entryId, where: match.where, order: orderId, signed, text: match.excerpt }
    : { uid, entry: entryId, signed, order: orderId, stage, model, bytes: bodyBytes };
};

type Reader = ReturnType<typeof entriesReader>;

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
async function readNewest(reader: Reader, filter: EntryFilter, limit: number): Promise<Listed> {
  const read = (uid: string) => readNewestOf(reader, filter, uid, limit);
  const entries = (await pMap(filter.uids ?? reader.uids(), read, { concurrency: 8 })).flat();
  const newest = entries.sort((a, b) => (a.entryId < b.entryId ? 1 : -1)).slice(0, limit);
  const rest = newest.length === limit ? `Shown: the newest ${limit}. --limit N shows more.` : undefined;
  return { found: newest.map((entry) => ({ entry })), rest };
}

/** Reads the newest entries of an order for each team, so that no team's uploads can push out those of another. */
async function readNewestOfOrder(
  terminal: Surroundings,
  target: Target,
  filter: EntryFilter & { readonly orderId: bigint },
  limit: number,
): Promise<Listed> {
  const teams = await entriesReader(target).newestOfOrder(filter, limit);
  const more = teams.filter((team) => team.more > 0).map((team) => `${team.more} of UID ${team.uid}`);
  const rest = `Shown: the newest ${limit} of each team. Not shown: ${more.join(', ')}. --limit N shows more.`;
  const found = teams.flatMap(({ entries }) => entries.map((entry) => ({ entry })));
  const values = found.length === 0 ? await nameValues(terminal, target, filter) : [];
  return { found, rest: more.length > 0 ? rest : undefined, values };
}

/** Finds the newest entries by their rows. Of the table, it reads what is shown, and what a row has cut. */
async function findNewest(
  terminal: Surroundings,
  rows: OpenRows,
  reader: Reader,
  { filter, text, limit }: { filter: EntryFilter; text: string | undefined; limit: number },
): Promise<Listed> {
  const { counts, entries } = await findCandidates(rows, reader, filter, text);
  const found: Found[] = [];
  let { sure, unsure } = counts;
  let gone = 0;
  const progress = terminal.progress(undefined, 'reading entries');
  for await (const batch of entries()) {
    terminal.signal.throwIfAborted();
    for (const { entry, isSure } of batch) {
      if (found.length === limit) break;
      if (isSure) sure -= 1;
      else unsure -= 1;
      if (entry === undefined) gone += 1;
      const match = entry && text !== undefined ? findText(text, entry, readBodyText(entry)) : undefined;
      if (entry && (match || text === undefined)) found.push({ entry, match });
    }
    if (found.length === limit) break;
  }
  progress.stop(`${counts.sure + counts.unsure - sure - unsure} entries read`);
  if (gone > 0) terminal.note(`Rows of entries that the table does not have any more: ${gone}.`);
  const total = `${unsure > 0 ? 'at least ' : ''}${found.length + sure}`;
  const shown = sure + unsure > 0 ? `; shown: the newest ${found.length}. --limit N shows more` : '';
  const values = found.length === 0 ? await nameRowValues(rows, filter) : [];
  return { found, rest: `Found: ${total}${shown}.`, values };
}

export default defineCommand({
  words: 'logs list',
  for: 'Reviewers',
  summary: 'List the newest entries, or those that contain a text in stage, model, explanation or body.',
  details: 'Case does not matter.',
  examples: [
    ['logs list', 'the newest entries of all teams'],
    ['logs list --uid 1001 --since 2025-11-14 --limit 100', 'the entries of one team since a day'],
    ['logs list --order 590480926522704171', 'the entries of an order, by team'],
    ['logs list "stop loss" --uid 1001 --uid 1002', 'the entries of two teams that contain this text'],
  ],
  args: { text: { name: '[text]', help: 'only entries that contain this text' } },
  options: {
    ...entryOptions,
    limit: {
      flags: '--limit <n>',
      help: 'the maximum number of entries; of each team with --order and no text',
      read: count,
      default: 20,
    },
    sync: noSync,
  },
  check({ text, ...asked }) {
    if (text?.trim() === '') throw new Failure('usage', 'The text to find is empty.');
    readFilter(asked);
  },
  on: onTarget,
  forms: ['wide'],
  async run({ text, limit, sync, ...asked }, { target, terminal }) {
    const filter = readFilter(asked);
    await requireKnownUids(target, filter.uids);
    const reader = entriesReader(target);
    const { orderId } = filter;
    const isInRows = text !== undefined || filter.stage !== undefined || filter.model !== undefined;
    const {
      found,
      rest,
      values = [],
    } = await (text === undefined && orderId !== undefined
      ? readNewestOfOrder(terminal, target, { ...filter, orderId }, limit)
      : isInRows
        ? withRows(terminal, target, { sync }, (rows) => findNewest(terminal, rows, reader, { filter, text, limit }))
        : readNewest(reader, filter, limit));
    if (text !== undefined && found.length === 0) terminal.reportNegative();
    return { found, rest, values };
  },
  json: ({ found }) => found.map(({ entry, match }) => ({ ...describeEntry(entry), ...match })),
  *shows({ found, rest, values }, { text }) {
    if (found.length > 0) yield { table: found.map(rowOf), ...(text !== undefined && { lastWidth: 36 }) };
    else yield { note: text === undefined ? 'No entry matches.' : `No entry contains ${JSON.stringify(text)}.` };
    for (const note of found.length > 0 && rest ? [rest] : values) yield { note };
  },
});
