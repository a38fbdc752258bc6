import { setTimeout as sleep } from 'node:timers/promises';
import { isThrottlingError } from '@smithy/core/retry';
import pLimit from 'p-limit';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { pause } from '../../shell/terminal/signals.ts';
import type { EntryPage, entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';

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
    for (;;) {
      const { done, value } = await (started.shift() as ReturnType<typeof read>);
      if (done) return;
      started.push(read());
      yield value;
    }
  })();
}

/** The number of times that a throttled read is sent again, in addition to the retries of the SDK. */
const MAX_RETRIES = 8;

const LONGEST_PAUSE_MS = 5000;

const isThrottled = (error: unknown) =>
  error instanceof Error && isThrottlingError(error as Parameters<typeof isThrottlingError>[0]);

/**
 * Returns a function that runs a read, at most `most` at a time: half after a throttled one, one more after each
 * twenty. It throws what is throttled again and again. @param firstPause ms, twice as long each time
 */
export function createPace(most: number, firstPause = 100) {
  const limit = pLimit(most);
  let steady = 0;
  return async <Result>(read: () => Promise<Result>): Promise<Result> => {
    for (let retry = 0; ; retry += 1) {
      try {
        const result = await limit(read);
        steady += 1;
        if (steady >= 20 && limit.concurrency < most) {
          limit.concurrency += 1;
          steady = 0;
        }
        return result;
      } catch (error) {
        if (!isThrottled(error) || retry === MAX_RETRIES) throw error;
        limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
        steady = 0;
        await sleep(Math.min(LONGEST_PAUSE_MS, firstPause * 2 ** retry) * (0.5 + Math.random() / 2));
      }
    }
  };
}

/** One UID is read ahead for each 64 MiB of the table, from two to eight. Each takes a few MiB of memory. */
const BYTES_PER_READ = 64 * 1024 * 1024;

/** The entries of a page, and the pages that are read ahead. Larger pages are no faster. */
const PAGE_ENTRIES = 250;
const PAGES_AHEAD = 4;

/**
 * Reads all entries that match a filter, page by page. Several UIDs are read at the same time, fewer while DynamoDB
 * throttles; their pages come in the order of a scan, the entries of a UID together and oldest first, or in that of the
 * UIDs in the filter. @param after the `next` of the last page that was read @throws the SDK's error if DynamoDB fails
 */
export async function* readInOrder(reader: Reader, filter: EntryFilter, after?: EntryKey): AsyncGenerator<EntryPage> {
  const { orderId } = filter;
  if (orderId !== undefined) return yield* reader.pagesOfOrder({ ...filter, orderId }, after);
  const { TableSizeBytes = 0 } = await reader.describe();
  const reads = Math.min(8, Math.max(2, Math.ceil(TableSizeBytes / BYTES_PER_READ)));
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
  let { value: team, done } = await inOrder.next();
  while (!done) {
    const following = await inOrder.next();
    const afterTeam = following.done ? undefined : { uid: following.value.uid, entryId: '' };
    for await (const { next = afterTeam, ...page } of team.pages) yield { ...page, ...(next && { next }) };
    ({ value: team, done } = following);
  }
}

/** Reads the pages of `readInOrder` until the user wants to stop, and shows how far it is unless it is `quiet`. */
export async function* readPages(
  terminal: Surroundings,
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
      // Pages may wait already.
      await pause(terminal.signal);
      yield page;
      read += page.scanned;
      progress?.advance(page.scanned, `${read} entries read`);
    }
  } finally {
    progress?.stop(`${read} entries read`);
  }
}
