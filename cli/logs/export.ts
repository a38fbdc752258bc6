import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Entry } from '../../functions/ailog/entry.ts';
import { type EntryFilter, entriesReader } from '../data/entriesReader.ts';
import { type Target, withTarget } from '../target.ts';
import { formatJson } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { entryCommand, filterOf } from './entryCommand.ts';
import { bodyText, entryFormats } from './entryFormats.ts';
import { everyPage } from './everyPage.ts';
import { openExportFile } from './exportFile.ts';

/** What is to be exported, and how. */
interface Wanted {
  readonly filter: EntryFilter;
  readonly format: keyof typeof entryFormats;
}

/** Counts of an export. */
interface Exported {
  readonly entries: number;
  /** Entries whose stored body is damaged; they are exported without it. */
  readonly damaged: number;
}

/** Exports to stdout, as fast as its reader takes it. */
async function exportToStdout(terminal: Terminal, target: Target, { filter, format }: Wanted): Promise<Exported> {
  const { head, line } = entryFormats[format];
  const count = { entries: 0, damaged: 0 };
  if (head !== '') await terminal.write(head);
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const page of everyPage(terminal, reader, { ...filter, receivedUntil: Date.now() }, { quiet: true })) {
    for (const entry of page.entries) {
      const body = bodyText(entry);
      count.entries += 1;
      if (body === undefined) count.damaged += 1;
      await terminal.write(line(entry, body));
    }
  }
  return count;
}

/** Exports into a file, or goes on with what is there of it. */
async function exportToFile(terminal: Terminal, target: Target, { filter, format }: Wanted, path: string) {
  const { head, line } = entryFormats[format];
  const question = `${format} of ${target.tables.aiLogs} ${formatJson(filter).replace(/\s+/g, ' ')}`;
  const file = openExportFile(path, { question, receivedUntil: Date.now() });
  const { receivedUntil, after } = file.state;
  let { entries, damaged } = file.state;
  try {
    if (file.goesOn) terminal.note(`Going on after ${entries} entries that are in ${path}.part already.`);
    if (file.state.bytes === 0) file.write(head);
    const writeEntry = (entry: Entry) => {
      const body = bodyText(entry);
      entries += 1;
      if (body === undefined) damaged += 1;
      file.write(line(entry, body));
    };
    const reader = entriesReader(target.db, target.tables.aiLogs);
    for await (const page of everyPage(terminal, reader, { ...filter, receivedUntil }, { after })) {
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
    summary: 'Write entries out, with their bodies as they were signed. A file that was interrupted goes on.',
    examples: [
      ['logs export -o logs.jsonl', 'all of them; run it again to go on'],
      ['logs export --uid 1001 --format csv -o alpha.csv', 'for a spreadsheet'],
      ['logs export --since 2025-11-14 | jq .model', 'onto stdout'],
    ],
  })
    .addOption(
      new Option('--format <format>', 'one JSON object a line, or CSV')
        .choices(Object.keys(entryFormats) as (keyof typeof entryFormats)[])
        .default('jsonl' as const),
    )
    .option('-o, --output <file>', 'a file instead of stdout; it has that name when it is complete')
    .action(async ({ format, output, json, ...options }) => {
      const wanted = { filter: filterOf(options), format };
      await withTarget(terminal, options, async (target) => {
        const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
        const count = await (path === undefined
          ? exportToStdout(terminal, target, wanted)
          : exportToFile(terminal, target, wanted, path));
        if (json && output !== undefined) await terminal.json({ ...count, file: output });
        terminal.note(`Exported: ${count.entries}${output === undefined ? '' : ` into ${output}`}.`);
        if (count.damaged === 0) return;
        terminal.reportNegative();
        terminal.note(
          `Without a body, because what is stored is damaged: ${count.damaged}. ailog logs verify names them.`,
        );
      });
    });
