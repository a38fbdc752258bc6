import { closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { copyRows } from '../../review/rows/filterRows.ts';
import { noSync, withRows } from '../../review/rows/openRows.ts';
import { lock } from '../../shell/files/lock.ts';
import { writeFully } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { entryCommand, noteValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { firstDay, missingDays } from '../../store/exports/dailyFiles.ts';
import { writeWhole } from '../../store/exports/exportFile.ts';
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
  const began = await target.now();
  const counts = { ...NO_COUNTS };
  await writeWhole(path, async (part) => {
    const file = openSync(part, 'w', 0o600);
    const write = (text: string) => writeFully(part, file, Buffer.from(text));
    try {
      write(entryFormats[format].header);
      for await (const { entries } of readPages(terminal, entriesReader(target), filter)) {
        for (const records of exportPage(entries, format, began, counts)) write(records);
      }
    } finally {
      closeSync(file);
    }
  });
  return counts;
}

/** Returns the time at which the oldest entry was signed; undefined: there is none. */
async function oldestTime(target: Target, { uids }: EntryFilter): Promise<number | undefined> {
  const reader = entriesReader(target);
  const times: number[] = [];
  for await (const uid of uids ?? reader.uids()) {
    const { entries } = await reader.page(uid, {}, { limit: 1 });
    times.push(...entries.map(({ entryId }) => Number(entryId.slice(0, 13))));
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Exports each day that has ended, in UTC, to a file of its own, unless the folder has it. The first day is that of the
 * first file, else that of the oldest entry. Each call reads only the entries of the days that are new.
 */
async function exportDays(
  terminal: Terminal,
  target: Target,
  filter: EntryFilter,
  { format, folder }: { format: ExportFormat; folder: string },
) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = await lock(join(folder, 'daily'), 0, { doing: 'exporting to this folder', is: 'an export' });
  try {
    const names = readdirSync(folder);
    const first = firstDay(names) ?? (await oldestTime(target, filter));
    const counts = { ...NO_COUNTS };
    const files: string[] = [];
    for (const { since, until, name } of missingDays(names, { since: first, now: await target.now(), format })) {
      const path = join(folder, name);
      const ofDay = { ...filter, since, until };
      const exported = await exportToFile(terminal, target, ofDay, { format, path });
      for (const count of Object.keys(counts) as (keyof ExportCounts)[]) counts[count] += exported[count];
      files.push(path);
      terminal.note(`Exported: ${exported.entries} to ${path}.`);
    }
    if (files.length === 0) terminal.note(`${folder} has every day that has ended.`);
    return { counts, files };
  } finally {
    unlock();
  }
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
    summary: 'Export entries with their signed bodies. A file is whole, or it is not there.',
    examples: [
      ['logs export -o logs.jsonl', 'export all entries'],
      ['logs export --uid 1001 --format csv -o alpha.csv', 'export one team for a spreadsheet'],
      ['logs export --since 2025-11-14 | jq .model', 'export to stdout'],
      ['logs export --daily backup', 'export each day that has ended and that the folder lacks'],
      ['logs export --format parquet -o rows.parquet', 'feature rows for DuckDB, pandas and Polars'],
    ],
  })
    .addOption(
      new Option('--format <format>', 'one JSON object per line, CSV, or feature rows as Parquet')
        .choices([...(Object.keys(entryFormats) as ExportFormat[]), 'parquet' as const])
        .default('jsonl' as const),
    )
    .option(noSync.flags, noSync.help)
    .option('-o, --output <file>', 'write to a file instead of stdout; it gets this name when it is complete')
    .option('--daily <folder>', 'write each day that has ended, in UTC, to a file of its own, unless the folder has it')
    .action(async ({ format, output, daily, json, sync, ...options }) => {
      const filter = readFilter(options);
      const { since, until, order } = options;
      if (daily !== undefined && [output, since, until, order].some((one) => one !== undefined)) {
        throw new Failure('usage', '--daily exports whole days: give it without -o, --since, --until and --order.');
      }
      if (daily !== undefined && format === 'parquet') {
        throw new Failure('usage', '--daily writes JSON lines or CSV.');
      }
      if (format === 'parquet' && output === undefined) {
        throw new Failure('usage', 'A Parquet file needs a name.', { advice: 'Give -o FILE.' });
      }
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        if (daily !== undefined) {
          const days = { format: format as ExportFormat, folder: resolve(terminal.cwd(), daily) };
          const { counts, files } = await exportDays(terminal, target, filter, days);
          if (json) await terminal.json({ ...counts, files });
          return noteGaps(terminal, counts, format);
        }
        const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
        const counts = await (path === undefined
          ? exportToStdout(terminal, target, filter, format as ExportFormat)
          : format === 'parquet'
            ? writeWhole(path, (part) => withRows(terminal, target, { sync }, (rows) => copyRows(rows, filter, part)))
            : exportToFile(terminal, target, filter, { format, path }));
        if (json && output !== undefined) await terminal.json({ ...counts, file: output });
        terminal.note(`Exported: ${counts.entries}${output === undefined ? '' : ` to ${output}`}.`);
        noteGaps(terminal, counts, format);
        if (counts.entries === 0) await noteValues(terminal, target, filter);
      });
    });
