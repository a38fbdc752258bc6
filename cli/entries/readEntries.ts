import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';
import { type EntriesPart, readParts } from './readParts.ts';

/**
 * Reads all matching entries with a task, see `readParts`. Stops when the user wants to stop.
 * @param work `quiet`: show no progress, because the command writes to the terminal while it reads
 */
export async function* readEntries<Options, Part>(
  terminal: Terminal,
  { db, tables }: Pick<Target, 'db' | 'tables'>,
  filter: EntryFilter,
  {
    quiet = false,
    ...work
  }: { task: string; options: Options; after?: EntryKey | undefined; quiet?: boolean | undefined },
): AsyncGenerator<EntriesPart<Part>> {
  const whole = filter.uids === undefined && filter.orderId === undefined;
  const table = { db, tableName: tables.aiLogs };
  const progress = quiet
    ? undefined
    : terminal.progress(whole ? await entriesReader(db, tables.aiLogs).estimate() : undefined, 'reading entries');
  let read = 0;
  try {
    for await (const part of readParts<Options, Part>(table, filter, work)) {
      // Parts may wait already: without a pause, no signal would be seen.
      await nextTurn();
      terminal.signal.throwIfAborted();
      yield part;
      read += part.scanned;
      progress?.advance(part.scanned, `${read} entries read`);
    }
  } finally {
    progress?.stop(`${read} entries read`);
  }
}
