import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { entryCommand, readFilter } from '../entries/entryCommand.ts';
import type { EntryFilter, EntryKey } from '../entries/entryFilter.ts';
import { readEntries } from '../entries/readEntries.ts';
import { requireKnownUids } from '../entries/requireKnownUids.ts';
import { checkExport } from '../exports/checkExport.ts';
import { type ExportFormat, entryFormats } from '../exports/entryFormats.ts';
import { KEEP_AFTER, type KeepAfter, openExportFile } from '../exports/exportFile.ts';
import type { ExportOptions, ExportPart } from '../exports/exportPart.ts';
import { addCounts, type ExportCounts, NO_COUNTS } from '../exports/exportPart.ts';
import { type Target, withTarget } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatJson } from '../text/json.ts';

interface Wanted {
  readonly filter: EntryFilter;
  readonly format: ExportFormat;
}

const TASK = import.meta.resolve('../exports/exportPart.ts');

async function exportToStdout(terminal: Terminal, target: Target, { filter, format }: Wanted): Promise<ExportCounts> {
  const began = await target.now();
  const { header } = entryFormats[format];
  if (header !== '') await terminal.write(header);
  let total = NO_COUNTS;
  const options = { format, began };
  for await (const { part } of readEntries<ExportOptions, ExportPart>(terminal, target, filter, {
    task: TASK,
    options,
    quiet: true,
  })) {
    total = addCounts(total, part.counts);
    if (part.records.length > 0) await terminal.write(part.records);
  }
  return total;
}

async function exportToFile(
  terminal: Terminal,
  target: Target,
  { filter, format }: Wanted,
  path: string,
  keepAfter: KeepAfter,
): Promise<ExportCounts> {
  const question = `${format} of ${target.tables.aiLogs} ${formatJson(filter).replace(/\s+/g, ' ')}`;
  const file = openExportFile(path, { question, began: await target.now() }, keepAfter);
  // After Ctrl-C, the process may end before a read that waits for DynamoDB comes back.
  terminal.signal.addEventListener('abort', file.keepNow);
  const { began, after, entries, damaged, untimed, late } = file.state;
  let total: ExportCounts = { entries, damaged, untimed, late };
  let last: EntryKey | undefined;
  try {
    if (file.isContinued) terminal.note(`Continuing after the ${entries} entries in ${path}.part.`);
    if (file.state.bytes === 0) file.write(entryFormats[format].header);
    const options = { format, began };
    for await (const { part, next } of readEntries<ExportOptions, ExportPart>(terminal, target, filter, {
      task: TASK,
      options,
      after,
    })) {
      total = addCounts(total, part.counts);
      last = part.last ?? last;
      file.write(part.records);
      if (next) file.completePage(total, next);
    }
    terminal.signal.throwIfAborted();
    file.finish((finished) => checkExport(finished, { format, entries: total.entries, last }));
  } finally {
    terminal.signal.removeEventListener('abort', file.keepNow);
    file.close();
  }
  return total;
}

function noteGaps(terminal: Terminal, { damaged, untimed, late }: ExportCounts): void {
  if (late > 0) terminal.note(`Left out, because they arrived after the export began: ${late}.`);
  if (damaged > 0) terminal.note(`Exported without a body, because the stored body is damaged: ${damaged}.`);
  if (untimed > 0) terminal.note(`Exported without a time of receipt, because the table has none: ${untimed}.`);
  if (damaged === 0 && untimed === 0) return;
  terminal.reportNegative();
  terminal.note('ailog logs verify shows them.');
}

/** @param keepAfter see `openExportFile` */
export default (terminal: Terminal, keepAfter = KEEP_AFTER) =>
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
          : exportToFile(terminal, target, wanted, path, keepAfter));
        if (json && output !== undefined) await terminal.json({ ...counts, file: output });
        terminal.note(`Exported: ${counts.entries}${output === undefined ? '' : ` to ${output}`}.`);
        noteGaps(terminal, counts);
      });
    });
