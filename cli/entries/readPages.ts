import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Terminal } from '../terminal/terminal.ts';
import type { EntryPage, entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';

type Reader = ReturnType<typeof entriesReader>;

/** Yields what a source reads, and shows how much that is. Stops when the user wants to stop. */
export async function* withProgress<Part extends { readonly scanned: number }>(
  terminal: Terminal,
  reader: Reader,
  filter: EntryFilter,
  source: AsyncIterable<Part>,
  quiet: boolean,
): AsyncGenerator<Part> {
  const whole = filter.uids === undefined && filter.orderId === undefined;
  const progress = quiet
    ? undefined
    : terminal.progress(whole ? await reader.estimate() : undefined, 'reading entries');
  let read = 0;
  try {
    for await (const part of source) {
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

async function* pagesOf(reader: Reader, filter: EntryFilter): AsyncGenerator<EntryPage> {
  let after: EntryKey | undefined;
  do {
    const page = await reader.page(filter, { after });
    yield page;
    after = page.next;
  } while (after);
}

/**
 * Reads the pages of matching entries, so that only one page is in memory. Stops when the user wants to stop.
 * @param options `quiet`: show no progress, because the command writes to the terminal while it reads
 */
export const readPages = (
  terminal: Terminal,
  reader: Reader,
  filter: EntryFilter,
  { quiet = false }: { quiet?: boolean } = {},
): AsyncGenerator<EntryPage> => withProgress(terminal, reader, filter, pagesOf(reader, filter), quiet);
