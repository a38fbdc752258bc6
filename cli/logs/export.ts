import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Entry } from '../../functions/ailog/entry.ts';
import { type EntryFilter, entriesReader } from '../data/entriesReader.ts';
import { type Target, withTarget } from '../target.ts';
import { formatJson } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { entryCommand, readFilter } from './entryCommand.ts';
import { entryFormats, readBodyText } from './entryFormats.ts';
import { openExportFile } from './exportFile.ts';
import { readPages } from './readPages.ts';

/** The selection and the format of an export. */
interface Wanted {
  readonly filter: EntryFilter;
  readonly format: keyof typeof entryFormats;
}

/** The counts of an export. */
interface Exported {
  readonly entries: number;
  /** Entries whose stored body is damaged. They are exported without it. */
  readonly damaged: number;
}

/** Exports to stdout, at the speed of its reader. */
async function exportToStdout(terminal: Terminal, target: Target, { filter, format }: Wanted): Promise<Exported> {
  const { header, line } = entryFormats[format];
  const count = { entries: 0, damaged: 0 };
  if (header !== '') await terminal.write(header);
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const page of readPages(terminal, reader, { ...filter, receivedUntil: Date.now() }, { quiet: true })) {
    for (const entry of page.entries) {
      const body = readBodyText(entry);
      count.entries += 1;
      if (body === undefined) count.damaged += 1;
      await terminal.write(line(entry, body));
    }
  }
  return count;
}

/** Exports to a file, or continues an interrupted export. */
async function exportToFile(terminal: Terminal, target: Target, { filter, format }: Wanted, path: string) {
  const { header, line } = entryFormats[format];
  const question = `${format} of ${target.tables.aiLogs} ${formatJson(filter).replace(/\s+/g, ' ')}`;
  const file = openExportFile(path, { question, receivedUntil: Date.now() });
  const { receivedUntil, after } = file.state;
  let { entries, damaged } = file.state;
  try {
    if (file.isContinued) terminal.note(`Continuing after the ${entries} entries in ${path}.part.`);
    if (file.state.bytes === 0) file.write(header);
    const writeEntry = (entry: Entry) => {
      const body = readBodyText(entry);
      entries += 1;
      if (body === undefined) damaged += 1;
      file.write(line(entry, body));
    };
    const reader = entriesReader(target.db, target.tables.aiLogs);
    for await (const page of readPages(terminal, reader, { ...filter, receivedUntil }, { after })) {
      page.entries.forEach(writeEntry);
      if (page.next) file.keep({ entries, damaged, after: page.next });
    }
    file.finish();
  } finally {
    file.close();
  }
  return { entries, damaged };
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
        .choices(Object.keys(entryFormats) as (keyof typeof entryFormats)[])
        .default('jsonl' as const),
    )
    .option('-o, --output <file>', 'write to a file instead of stdout; it gets this name when it is complete')
    .action(async ({ format, output, json, ...options }) => {
      const wanted = { filter: readFilter(options), format };
      await withTarget(terminal, options, async (target) => {
        const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
        const count = await (path === undefined
          ? exportToStdout(terminal, target, wanted)
          : exportToFile(terminal, target, wanted, path));
        if (json && output !== undefined) await terminal.json({ ...count, file: output });
        terminal.note(`Exported: ${count.entries}${output === undefined ? '' : ` to ${output}`}.`);
        if (count.damaged === 0) return;
        terminal.reportNegative();
        terminal.note(
          `Exported without a body, because the stored body is damaged: ${count.damaged}. ailog logs verify shows them.`,
        );
      });
    });
