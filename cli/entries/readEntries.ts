import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';
import { withProgress } from './readPages.ts';
import { type EntriesPart, readParts } from './readParts.ts';

/**
 * Reads all matching entries with a task, see `readParts`. Stops when the user wants to stop.
 * @param work `quiet`: show no progress, because the command writes to the terminal while it reads
 */
export function readEntries<Options, Part>(
  terminal: Terminal,
  { db, tables }: Pick<Target, 'db' | 'tables'>,
  filter: EntryFilter,
  {
    quiet = false,
    ...work
  }: { task: string; options: Options; after?: EntryKey | undefined; quiet?: boolean | undefined },
): AsyncGenerator<EntriesPart<Part>> {
  const parts = readParts<Options, Part>({ db, tableName: tables.aiLogs }, filter, work);
  return withProgress(terminal, entriesReader(db, tables.aiLogs), filter, parts, quiet);
}
