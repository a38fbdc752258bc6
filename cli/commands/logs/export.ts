import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { copyRows } from '../../review/rows/filterRows.ts';
import { noCache, noSync, withRows } from '../../review/rows/openRows.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatJson } from '../../shell/text/json.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { entryCommand, noteValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { openExportFile } from '../../store/exports/exportFile.ts';
import {
  type ExportCounts,
  type ExportFormat,
  entryFormats,
  exportPage,
  NO_COUNTS,
} from '../../store/exports/exportPage.ts';
import { type Target, withTarget } from '../../store/targets/target.ts';

async function exportToStdout(terminal: Terminal, target: Target, filter: EntryFilter, format: ExportFormat) {
  const began = await target.now();
  const { header } = entryFormats[format];
  if (header !== '') await terminal.write(header);
  const counts = { ...NO_COUNTS };
  for await (const { entries } of readPages(terminal, entriesReader(target), filter, { quiet: true })) {
    for (const records of exportPage(entries, format, began, counts)) {
      if (records !== '') await terminal.write(records);
    }
  }
  return counts;
}

async function exportToFile(
  terminal: Terminal,
  target: Target,
  filter: EntryFilter,
  { format, path }: { format: ExportFormat; path: string },
): Promise<ExportCounts> {
  const question = `${format} of ${target.tables.aiLogs} ${formatJson(filter).replace(/\s+/g, ' ')}`;
  const file = openExportFile(path, { question, began: await target.now() });
  // After Ctrl-C, the process may end before a read that waits for DynamoDB comes back.
  terminal.signal.addEventListener('abort', file.keepNow);
  const { began, after, bytes, entries, damaged, untimed, late } = file.state;
  const counts = { entries, damaged, untimed, late };
  try {
    if (file.isContinued) terminal.note(`Continuing after the ${entries} entries in ${path}.part.`);
    if (bytes === 0) file.write(entryFormats[format].header);
    for await (const page of readPages(terminal, entriesReader(target), filter, { after })) {
      for (const records of exportPage(page.entries, format, began, counts)) file.write(records);
      if (page.next) file.completePage(counts, page.next);
    }
    terminal.signal.throwIfAborted();
    file.finish();
  } finally {
    terminal.signal.removeEventListener('abort', file.keepNow);
    file.close();
  }
  return counts;
}

/** Exports feature rows: those on this machine, or with bodies or without a cache, rows made of the table. */
async function exportRows(
  terminal: Terminal,
  target: Target,
  filter: EntryFilter,
  path: string,
  { bodies, cache, sync }: { bodies: boolean; cache: boolean; sync: boolean },
): Promise<ExportCounts> {
  const { exportParquet, writeWhole } = await import('../../store/exports/exportParquet.ts');
  if (cache && !bodies) {
    return writeWhole(path, (part) => withRows(terminal, target, { sync }, (rows) => copyRows(rows, filter, part)));
  }
  const began = await target.now();
  const pages = readPages(terminal, entriesReader(target), filter);
  return writeWhole(path, (part) => exportParquet(pages, part, { bodies, began }));
}

function noteGaps(terminal: Terminal, { damaged, untimed, late }: ExportCounts, format: string): void {
  const isDamaged = format === 'parquet' ? 'Left out' : 'Exported without a body';
  if (late > 0) terminal.note(`Left out, because they arrived after the export began: ${late}.`);
  if (damaged > 0) terminal.note(`${isDamaged}, because the stored body is damaged: ${damaged}.`);
  if (untimed > 0) terminal.note(`Exported without a time of receipt, because the table has none: ${untimed}.`);
  if (damaged === 0 && untimed === 0) return;
  terminal.reportNegative();
  terminal.note('ailog logs verify shows them.');
}

export default (terminal: Terminal) =>
  entryCommand('export', {
    summary: 'Export entries with their signed bodies. An interrupted export to a file can be continued.',
    examples: [
      ['logs export -o logs.jsonl', 'export all entries; run it again to continue'],
      ['logs export --uid 1001 --format csv -o alpha.csv', 'export one team for a spreadsheet'],
      ['logs export --since 2025-11-14 | jq .model', 'export to stdout'],
      ['logs export --format parquet -o rows.parquet', 'feature rows for DuckDB, pandas and Polars'],
    ],
  })
    .addOption(
      new Option('--format <format>', 'one JSON object per line, CSV, or feature rows as Parquet')
        .choices([...(Object.keys(entryFormats) as ExportFormat[]), 'parquet' as const])
        .default('jsonl' as const),
    )
    .option('--bodies', 'with --format parquet: add the bodies')
    .addOption(noSync())
    .addOption(noCache())
    .option('-o, --output <file>', 'write to a file instead of stdout; it gets this name when it is complete')
    .action(async ({ format, output, json, bodies = false, sync, cache, ...options }) => {
      const filter = readFilter(options);
      if (format === 'parquet' && output === undefined) {
        throw new Failure('usage', 'A Parquet file needs a name.', { advice: 'Give -o FILE.' });
      }
      if (format !== 'parquet' && bodies) throw new Failure('usage', '--bodies belongs to --format parquet.');
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
        const counts = await (path === undefined
          ? exportToStdout(terminal, target, filter, format as ExportFormat)
          : format === 'parquet'
            ? exportRows(terminal, target, filter, path, { bodies, cache, sync })
            : exportToFile(terminal, target, filter, { format, path }));
        if (json && output !== undefined) await terminal.json({ ...counts, file: output });
        terminal.note(`Exported: ${counts.entries}${output === undefined ? '' : ` to ${output}`}.`);
        noteGaps(terminal, counts, format);
        if (counts.entries === 0) await noteValues(terminal, target, filter);
      });
    });
