import type { Entry } from '../../../functions/ailog/entry.ts';
import { foldText } from '../../../functions/features/foldText.ts';
import { findCandidates } from '../../review/rows/filterRows.ts';
import { noCache, noSync, withRows } from '../../review/rows/openRows.ts';
import { count } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatTime } from '../../shell/text/time.ts';
import { describeEntry, readBodyText } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter } from '../../store/entries/entryFilter.ts';
import { findText, type TextMatch } from '../../store/entries/findText.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { entryCommand, noteValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { type Target, withTarget } from '../../store/targets/target.ts';

const DEFAULT_LIMIT = 50;

type Found = { readonly entry: Entry; readonly match: TextMatch };

/** Reads every entry that the filter selects. */
async function searchTable(terminal: Terminal, target: Target, filter: EntryFilter, text: string, limit: number) {
  const reader = entriesReader(target);
  let newest: Found[] = [];
  let total = 0;
  for await (const { entries } of readPages(terminal, reader, filter)) {
    for (const entry of entries) {
      const match = findText(text, entry, readBodyText(entry));
      if (match === undefined) continue;
      total += 1;
      newest.push({ entry, match });
    }
    newest = newest.sort((a, b) => (a.entry.entryId < b.entry.entryId ? 1 : -1)).slice(0, limit);
  }
  return { newest, total, isExact: true };
}

/** Finds entries by their rows. Of the table, it reads those that are shown, and those whose rows lack some text. */
async function searchRows(
  terminal: Terminal,
  target: Target,
  filter: EntryFilter,
  { text, limit, sync }: { text: string; limit: number; sync: boolean },
) {
  return withRows(terminal, target, { sync }, async (rows) => {
    const reader = entriesReader(target);
    const { counts, entries } = await findCandidates(rows, reader, filter, foldText(text));
    const newest: Found[] = [];
    let { sure, unsure } = counts;
    let gone = 0;
    const progress = terminal.progress(undefined, 'reading entries');
    for await (const batch of entries()) {
      terminal.signal.throwIfAborted();
      for (const { entry, isSure } of batch) {
        if (newest.length === limit) break;
        if (isSure) sure -= 1;
        else unsure -= 1;
        if (entry === undefined) gone += 1;
        const match = entry && findText(text, entry, readBodyText(entry));
        if (match) newest.push({ entry, match });
      }
      if (newest.length === limit) break;
    }
    progress.stop(`${counts.sure + counts.unsure - sure - unsure} entries read`);
    if (gone > 0) terminal.note(`Rows of entries that the table does not have any more: ${gone}.`);
    return { newest, total: newest.length + sure, isExact: unsure === 0 };
  });
}

export default (terminal: Terminal) =>
  entryCommand('search', {
    summary:
      'Find entries by a text in stage, model, explanation or body, the newest first. Upper and lower case are the same.',
    examples: [
      ['logs search "stop loss"', 'all entries that contain this text'],
      ['logs search gpt-4 --uid 1001 --uid 1002 --since 2025-11-14', 'of two teams, since a day'],
    ],
  })
    .argument('<text>', 'the text to find')
    .option('--limit <n>', 'the maximum number of entries to show', count, DEFAULT_LIMIT)
    .addOption(noSync())
    .addOption(noCache())
    .action(async (text, { limit, json, sync, cache, ...options }) => {
      if (text.trim() === '') throw new Failure('usage', 'The text to find is empty.');
      const filter = readFilter(options);
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        // Only the body has a text as it was sent, and invisible characters alone.
        const isInRows = cache && !text.includes('\\') && foldText(text) !== '';
        const { newest, total, isExact } = isInRows
          ? await searchRows(terminal, target, filter, { text, limit, sync })
          : await searchTable(terminal, target, filter, text, limit);
        if (total === 0) terminal.reportNegative();
        if (json) return terminal.json(newest.map(({ entry, match }) => ({ ...describeEntry(entry), ...match })));
        if (total === 0) {
          terminal.note(`No entry contains ${JSON.stringify(text)}.`);
          return noteValues(terminal, target, filter);
        }
        const rows = newest.map(({ entry, match }) => ({
          uid: entry.uid,
          entry: entry.entryId,
          where: match.where,
          order: entry.orderId,
          signed: formatTime(Number(entry.timestamp)),
          text: match.excerpt,
        }));
        await terminal.table(rows, { lastWidth: 36 });
        const isAll = isExact && total === newest.length;
        const shown = isAll ? '' : `; shown: the newest ${newest.length}. --limit N shows more`;
        terminal.note(`Found: ${isExact ? total : `at least ${total}`}${shown}.`);
      });
    });
