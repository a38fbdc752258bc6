import type { EntryFilter, EntryKey, EntryPage, entriesReader } from '../data/entriesReader.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * All pages of the entries that are wanted, one after the other, so that no more than one is in memory. Stops where the
 * user wants to stop.
 * @param options `after`: where to go on; unless given, from the start. `quiet`: do not show how far it is, because the
 * command writes to the terminal as it goes
 */
export async function* everyPage(
  terminal: Terminal,
  reader: ReturnType<typeof entriesReader>,
  filter: EntryFilter,
  { after, quiet = false }: { after?: EntryKey | undefined; quiet?: boolean } = {},
): AsyncGenerator<EntryPage> {
  const whole = filter.uid === undefined && filter.orderId === undefined;
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
