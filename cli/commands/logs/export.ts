import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyRows, nameRowValues } from '../../review/rows/filterRows.ts';
import { noSync, withRows } from '../../review/rows/openRows.ts';
import { lock } from '../../shell/files/lock.ts';
import { makeFolder } from '../../shell/files/write.ts';
import { defineCommand, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { entryOptions, nameValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { firstDay, missingDays } from '../../store/exports/dailyFiles.ts';
import { writeParts, writeWhole } from '../../store/exports/exportFile.ts';
import {
  type ExportCounts,
  type ExportFormat,
  entryFormats,
  exportPage,
  NO_COUNTS,
} from '../../store/exports/exportPage.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

/** Returns the text of an export, part by part. @param counts gets what was exported */
async function* exportText(
  terminal: Surroundings,
  target: Target,
  filter: EntryFilter,
  { format, counts, quiet }: { format: ExportFormat; counts: ExportCounts; quiet: boolean },
): AsyncGenerator<string> {
  const began = await target.now();
  yield entryFormats[format].header;
  for await (const { entries } of readPages(terminal, entriesReader(target), filter, { quiet })) {
    yield* exportPage(entries, format, began, counts);
  }
}

async function oldestTime(target: Target, { uids }: EntryFilter): Promise<number | undefined> {
  const reader = entriesReader(target);
  const times: number[] = [];
  for await (const uid of uids ?? reader.uids()) {
    const { entries } = await reader.page(uid, {}, { limit: 1 });
    times.push(...entries.map(({ entryId }) => Number(entryId.slice(0, 13))));
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Exports each UTC day that has ended and that the folder lacks, from its first file or the oldest entry on. */
async function exportDays(
  terminal: Surroundings,
  target: Target,
  filter: EntryFilter,
  { format, folder }: { format: ExportFormat; folder: string },
) {
  makeFolder(folder);
  const unlock = await lock(join(folder, 'daily'), 0, { doing: 'exporting to this folder', is: 'an export' });
  try {
    const names = readdirSync(folder);
    const first = firstDay(names) ?? (await oldestTime(target, filter));
    const counts = { ...NO_COUNTS };
    const files: string[] = [];
    for (const { since, until, name } of missingDays(names, { since: first, now: await target.now(), format })) {
      const path = join(folder, name);
      const ofDay = { ...filter, since, until };
      const exported = { ...NO_COUNTS };
      await writeParts(path, exportText(terminal, target, ofDay, { format, counts: exported, quiet: false }));
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

function gapsOf({ damaged, untimed, late }: ExportCounts, format: string): string[] {
  const isDamaged = format === 'parquet' ? 'Left out' : 'Exported without a body';
  return [
    ...(late > 0 ? [`Left out, because they arrived after the export began: ${late}.`] : []),
    ...(damaged > 0 ? [`${isDamaged}, because the stored body is damaged: ${damaged}.`] : []),
    ...(untimed > 0 ? [`Exported without a time of receipt, because the table has none: ${untimed}.`] : []),
    ...(damaged + untimed > 0 ? ['ailog logs verify shows them.'] : []),
  ];
}

export default defineCommand({
  words: 'logs export',
  for: 'Reviewers',
  summary: 'Export entries with their signed bodies.',
  details: 'A file is written whole or not at all.',
  examples: [
    ['logs export -o logs.jsonl', 'export all entries'],
    ['logs export --uid 1001 --format csv -o alpha.csv', 'export one team for a spreadsheet'],
    ['logs export --since 2025-11-14 | jq .model', 'export to stdout'],
    ['logs export --daily backup', 'export each day that has ended and that the folder lacks'],
    ['logs export --format parquet -o rows.parquet', 'feature rows for DuckDB, pandas and Polars'],
  ],
  options: {
    ...entryOptions,
    format: {
      flags: '--format <format>',
      help: 'one JSON object per line, CSV, or feature rows as Parquet',
      choices: ['jsonl', 'csv', 'parquet'],
      default: 'jsonl',
    },
    sync: noSync,
    output: {
      flags: '-o, --output <file>',
      help: 'write to a file instead of stdout; it gets this name when it is complete',
    },
    daily: {
      flags: '--daily <folder>',
      help: 'write each day that has ended, in UTC, to a file of its own, unless the folder has it',
    },
  },
  check({ format, output, daily, ...filter }) {
    const { since, until, order } = filter;
    readFilter(filter);
    if (daily !== undefined && [output, since, until, order].some((one) => one !== undefined)) {
      throw new Failure('usage', '--daily exports whole days: give it without -o, --since, --until and --order.');
    }
    if (daily !== undefined && format === 'parquet') throw new Failure('usage', '--daily writes JSON lines or CSV.');
    if (format === 'parquet' && output === undefined) {
      throw new Failure('usage', 'A Parquet file needs a name.', { advice: 'Give -o FILE.' });
    }
  },
  on: onTarget,
  async run({ format, output, daily, sync, ...options }, { target, terminal, remark }) {
    const filter = readFilter(options);
    await requireKnownUids(target, filter.uids);
    const end = async (counts: ExportCounts, values = () => nameValues(terminal, target, filter)) => {
      const { entries, damaged, untimed } = counts;
      if (daily === undefined) remark(`Exported: ${entries}${output === undefined ? '' : ` to ${output}`}.`);
      for (const gap of gapsOf(counts, format)) remark(gap);
      if (damaged + untimed > 0) terminal.reportNegative();
      if (entries > 0 || daily !== undefined) return;
      for (const sentence of await values()) remark(sentence);
    };
    const path = resolve(terminal.cwd(), output ?? daily ?? '');
    if (format === 'parquet') {
      const [counts, values] = await writeWhole(path, (write) =>
        withRows(terminal, target, { sync }, async (rows) => {
          const copied = await copyRows(rows, filter, write);
          return [copied, copied.entries === 0 ? await nameRowValues(rows, filter) : []] as const;
        }),
      );
      await end(counts, async () => values);
      return { written: { ...counts, file: output } };
    }
    if (daily !== undefined) {
      const { counts, files } = await exportDays(terminal, target, filter, { format, folder: path });
      await end(counts);
      return { written: { ...counts, files } };
    }
    const counts = { ...NO_COUNTS };
    const text = exportText(terminal, target, filter, { format, counts, quiet: output === undefined });
    if (output === undefined) return { text, atEnd: () => end(counts) };
    await writeParts(path, text);
    await end(counts);
    return { written: { ...counts, file: output } };
  },
  json({ written }) {
    if (written) return written;
    throw new Failure('usage', '--json says what a file has.', { advice: 'Give -o FILE, or leave out --json.' });
  },
  async *shows({ text, atEnd }) {
    if (!text) return;
    for await (const part of text) if (part !== '') yield { text: part };
    await atEnd();
  },
});
