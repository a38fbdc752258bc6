import type { Terminal } from '../terminal/terminal.ts';
import type { EntryPage, entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';

/**
 * Reads the pages of matching entries one after the other, so that only one page is in memory. Stops when the user wants to
 * stop.
 * @param options `after`: continue after this entry. `quiet`: show no progress, because the command writes to the terminal
 * while it reads
 */
export async function* readPages(
  terminal: Terminal,
  reader: ReturnType<typeof entriesReader>,
  filter: EntryFilter,
  { after, quiet = false }: { after?: EntryKey | undefined; quiet?: boolean } = {},
): AsyncGenerator<EntryPage> {
  const whole = filter.uids === undefined && filter.orderId === undefined;
  const progress = quiet
    ? undefined
    : terminal.progress(whole ? await reader.estimate() : undefined, 'reading entries');
  let scanned = 0;
  let from = after;
  try {
    do {
      const page = await reader.page(filter, { after: from });
      terminal.signal.throwIfAborted();
      yield page;
      scanned += page.scanned;
      progress?.advance(page.scanned, `${scanned} entries read`);
      from = page.next;
    } while (from);
  } finally {
    progress?.stop(`${scanned} entries read`);
  }
}
