import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { EntryPage, entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';
import { createPace } from './pace.ts';

type Reader = ReturnType<typeof entriesReader>;

/** Reads from a source at once, and stays `ahead` values ahead of its reader. The order stays that of the source. */
function readAhead<Value>(source: AsyncGenerator<Value>, ahead: number): AsyncGenerator<Value> {
  // A generator answers calls of `next` one after the other.
  const read = () => {
    const value = source.next();
    // An error is thrown where the reader takes the value, if it ever does.
    value.catch(() => {});
    return value;
  };
  const started = Array.from({ length: ahead }, read);
  return (async function* () {
    try {
      for (;;) {
        const { done, value } = await (started.shift() as ReturnType<typeof read>);
        if (done) return;
        started.push(read());
        yield value;
      }
    } finally {
      source.return(undefined).catch(() => {});
    }
  })();
}

/** One UID is read ahead for each 64 MiB of the table, within these limits. Each takes a few MiB of memory. */
const BYTES_PER_READ = 64 * 1024 * 1024;
const [MIN_READS, MAX_READS] = [2, 8];

/** The maximum number of entries of a page. Larger pages are no faster, and some of them are in memory. */
const PAGE_ENTRIES = 250;

const PAGES_AHEAD = 4;

/**
 * Reads all entries that match a filter, page by page. Several UIDs are read at the same time, fewer while DynamoDB
 * throttles, and their pages come in one order all the same: that of a scan, in which the entries of a UID come
 * together, oldest first; chosen UIDs come in the order of the filter. docs/decisions/parallel-readers.md says why this
 * is no parallel scan. @param after the `next` of the last page that was read @throws the SDK's error if DynamoDB fails
 */
export async function* readInOrder(reader: Reader, filter: EntryFilter, after?: EntryKey): AsyncGenerator<EntryPage> {
  const { orderId } = filter;
  if (orderId !== undefined) return yield* reader.pagesOfOrder({ ...filter, orderId }, after);
  const { TableSizeBytes = 0 } = await reader.describe();
  const reads = Math.min(MAX_READS, Math.max(MIN_READS, Math.ceil(TableSizeBytes / BYTES_PER_READ)));
  const pace = createPace(reads);

  async function* pagesOf(uid: string, start: EntryKey | undefined): AsyncGenerator<EntryPage> {
    let from = start;
    do {
      const options = { after: from, limit: PAGE_ENTRIES };
      const page = await pace(() => reader.page(uid, filter, options));
      from = page.next;
      yield page;
    } while (from);
  }
  async function* uidsToRead(): AsyncGenerator<string> {
    if (filter.uids) return yield* filter.uids.slice(after ? filter.uids.indexOf(after.uid) : 0);
    if (after) yield after.uid;
    yield* reader.uids(after?.uid);
  }
  async function* teams() {
    for await (const uid of uidsToRead()) {
      const start = uid === after?.uid && after.entryId !== '' ? after : undefined;
      yield { uid, pages: readAhead(pagesOf(uid, start), PAGES_AHEAD) };
    }
  }

  const inOrder = readAhead(teams(), reads);
  try {
    let { value: team, done } = await inOrder.next();
    while (!done) {
      const following = await inOrder.next();
      const afterTeam = following.done ? undefined : { uid: following.value.uid, entryId: '' };
      for await (const { next = afterTeam, ...page } of team.pages) yield { ...page, ...(next && { next }) };
      ({ value: team, done } = following);
    }
  } finally {
    inOrder.return(undefined).catch(() => {});
  }
}

/**
 * Reads the pages of `readInOrder`, and shows how much was read, until the user wants to stop.
 * @param options `after`: the `next` of the last page; `quiet`: show no progress, as the command writes while it reads
 */
export async function* readPages(
  terminal: Terminal,
  reader: Reader,
  filter: EntryFilter,
  { after, quiet = false }: { after?: EntryKey | undefined; quiet?: boolean } = {},
): AsyncGenerator<EntryPage> {
  const whole = filter.uids === undefined && filter.orderId === undefined;
  const total = whole && !quiet ? (await reader.describe()).ItemCount : undefined;
  const progress = quiet ? undefined : terminal.progress(total, 'reading entries');
  let read = 0;
  try {
    for await (const page of readInOrder(reader, filter, after)) {
      // Pages may wait already: without a pause, no signal would be seen.
      await nextTurn();
      terminal.signal.throwIfAborted();
      yield page;
      read += page.scanned;
      progress?.advance(page.scanned, `${read} entries read`);
    }
  } finally {
    progress?.stop(`${read} entries read`);
  }
}
