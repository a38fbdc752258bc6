import type { Entry } from '../../functions/ailog/entry.ts';
import { readBodyText } from '../entries/bodyOf.ts';
import { describeEntry } from '../entries/describeEntry.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { entryCommand, readFilter } from '../entries/entryCommand.ts';
import { findText, type TextMatch } from '../entries/findText.ts';
import { readPages } from '../entries/readPages.ts';
import { requireKnownUids } from '../entries/requireKnownUids.ts';
import { withTarget } from '../target/target.ts';
import { count } from '../terminal/arguments.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatTime } from '../text/time.ts';

const DEFAULT_LIMIT = 50;

interface Found {
  readonly entry: Entry;
  readonly match: TextMatch;
}

const newestFirst = (a: Found, b: Found) => (a.entry.entryId < b.entry.entryId ? 1 : -1);

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
    .action(async (text, { limit, json, ...options }) => {
      if (text.trim() === '') throw new Failure('usage', 'The text to find is empty.');
      const filter = readFilter(options);
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        const reader = entriesReader(target.db, target.tables.aiLogs);
        let newest: Found[] = [];
        let total = 0;
        const trim = () => {
          newest = newest.sort(newestFirst).slice(0, limit);
        };
        for await (const { entries } of readPages(terminal, reader, filter)) {
          for (const entry of entries) {
            const match = findText(text, entry, readBodyText(entry));
            if (match === undefined) continue;
            total += 1;
            newest.push({ entry, match });
          }
          trim();
        }
        if (total === 0) terminal.reportNegative();
        if (json) return terminal.json(newest.map(({ entry, match }) => ({ ...describeEntry(entry), ...match })));
        if (total === 0) return terminal.note(`No entry contains ${JSON.stringify(text)}.`);
        await terminal.table(
          newest.map(({ entry, match }) => ({
            uid: entry.uid,
            entry: entry.entryId,
            where: match.where,
            order: entry.orderId,
            signed: formatTime(Number(entry.timestamp)),
            text: match.excerpt,
          })),
          { lastWidth: 36 },
        );
        const shown = total > newest.length ? `; shown: the newest ${newest.length}. --limit N shows more` : '';
        terminal.note(`Found: ${total}${shown}.`);
      });
    });
