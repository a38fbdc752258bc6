import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Entry } from '../../functions/ailog/entry.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { type EntryFilter, type EntryKey, timeKey } from '../data/entryFilter.ts';
import { type Target, withTarget } from '../target.ts';
import { formatJson } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkExport } from './checkExport.ts';
import { entryCommand, readFilter } from './entryCommand.ts';
import { type ExportFormat, entryFormats } from './entryFormats.ts';
import { type ExportCounts, NOTHING_EXPORTED, openExportFile } from './exportFile.ts';
import { readBodyText } from './readBodyText.ts';
import { readPages } from './readPages.ts';
import { requireKnownUids } from './requireKnownUids.ts';

/** The selection and the format of an export. */
interface Wanted {
  readonly filter: EntryFilter;
  readonly format: ExportFormat;
}

/**
 * Returns true if an entry arrived after the export began. The time of receipt alone does not decide, because nothing proves
 * it: the entry id must say too that the entry was signed about then or later.
 */
const isLate = ({ receivedAt, entryId }: Entry, began: number): boolean =>
  receivedAt > began && entryId >= timeKey(began - CLOCK_TOLERANCE_MS);

/** Returns the record of an entry and the counts after it. The record of a late entry is empty. */
function exportEntry(
  entry: Entry,
  { format, began, counts }: { format: ExportFormat; began: number; counts: ExportCounts },
) {
  if (isLate(entry, began)) return { record: '', counts: { ...counts, late: counts.late + 1 } };
  const body = readBodyText(entry);
  return {
    record: entryFormats[format].line(entry, body),
    counts: {
      ...counts,
      entries: counts.entries + 1,
      damaged: counts.damaged + Number(body === undefined),
      untimed: counts.untimed + Number(!Number.isSafeInteger(entry.receivedAt)),
    },
  };
}

/** Exports to stdout, at the speed of its reader. */
async function exportToStdout(terminal: Terminal, target: Target, { filter, format }: Wanted): Promise<ExportCounts> {
  const began = await target.now();
  const { header } = entryFormats[format];
  if (header !== '') await terminal.write(header);
  let counts = NOTHING_EXPORTED;
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const page of readPages(terminal, reader, filter, { quiet: true })) {
    for (const entry of page.entries) {
      const exported = exportEntry(entry, { format, began, counts });
      counts = exported.counts;
      if (exported.record !== '') await terminal.write(exported.record);
    }
  }
  return counts;
}

/** Exports to a file, or continues an interrupted export. */
async function exportToFile(
  terminal: Terminal,
  target: Target,
  { filter, format }: Wanted,
  path: string,
): Promise<ExportCounts> {
  const question = `${format} of ${target.tables.aiLogs} ${formatJson(filter).replace(/\s+/g, ' ')}`;
  const file = openExportFile(path, { question, began: await target.now() });
  const { began, after, entries, damaged, untimed, late } = file.state;
  let counts: ExportCounts = { entries, damaged, untimed, late };
  let last: EntryKey | undefined;
  try {
    if (file.isContinued) terminal.note(`Continuing after the ${entries} entries in ${path}.part.`);
    if (file.state.bytes === 0) file.write(entryFormats[format].header);
    const reader = entriesReader(target.db, target.tables.aiLogs);
    for await (const page of readPages(terminal, reader, filter, { after })) {
      for (const entry of page.entries) {
        const exported = exportEntry(entry, { format, began, counts });
        counts = exported.counts;
        if (exported.record === '') continue;
        file.write(exported.record);
        last = { uid: entry.uid, entryId: entry.entryId };
      }
      if (page.next) file.keep(counts, page.next);
    }
    file.finish((part) => checkExport(part, { format, entries: counts.entries, last }));
  } finally {
    file.close();
  }
  return counts;
}

/** Says what an export left out or could not read. */
function noteGaps(terminal: Terminal, { damaged, untimed, late }: ExportCounts): void {
  if (late > 0) terminal.note(`Left out, because they arrived after the export began: ${late}.`);
  if (damaged > 0) terminal.note(`Exported without a body, because the stored body is damaged: ${damaged}.`);
  if (untimed > 0) terminal.note(`Exported without a time of receipt, because the table has none: ${untimed}.`);
  if (damaged === 0 && untimed === 0) return;
  terminal.reportNegative();
  terminal.note('ailog logs verify shows them.');
}

export const exportEntries = (terminal: Terminal) =>
  entryCommand('export', {
    summary: 'Export entries with their signed bodies. An interrupted export to a file can be continued.',
    examples: [
      ['logs export -o logs.jsonl', 'export all entries; run it again to continue'],
      ['logs export --uid 1001 --format csv -o alpha.csv', 'export one team for a spreadsheet'],
      ['logs export --since 2025-11-14 | jq .model', 'export to stdout'],
    ],
  })
    .addOption(
      new Option('--format <format>', 'one JSON object per line, or CSV')
        .choices(Object.keys(entryFormats) as ExportFormat[])
        .default('jsonl' as const),
    )
    .option('-o, --output <file>', 'write to a file instead of stdout; it gets this name when it is complete')
    .action(async ({ format, output, json, ...options }) => {
      const wanted = { filter: readFilter(options), format };
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, wanted.filter.uids);
        const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
        const counts = await (path === undefined
          ? exportToStdout(terminal, target, wanted)
          : exportToFile(terminal, target, wanted, path));
        if (json && output !== undefined) await terminal.json({ ...counts, file: output });
        terminal.note(`Exported: ${counts.entries}${output === undefined ? '' : ` to ${output}`}.`);
        noteGaps(terminal, counts);
      });
    });
