import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { nextKeyOf } from '../target/attributeValues.ts';
import { entriesReader } from './entriesReader.ts';
import { conditionsOf, type EntryFilter, type EntryKey } from './entryFilter.ts';
import { createPace } from './pace.ts';
import type { ReadPart } from './pageTask.ts';
import { openPageWorkers, type ReadPagePart } from './pageWorkers.ts';
import { sendForResponse } from './rawResponse.ts';

/**
 * Starts to read from a source at once, and stays some values ahead of its reader. The order stays that of the source.
 * @param ahead the number of values that are read before the reader takes them
 */
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

/** A part of a page, and where to continue after it. */
export interface EntriesPart<Part> {
  readonly part: Part;
  /** The number of entries that were read for this part and not counted before. */
  readonly scanned: number;
  /**
   * The key to pass as `after` to continue after this part. Absent within a page, and after the last entry. Its entry
   * id is empty where the next entries are those of another UID.
   */
  readonly next?: EntryKey;
}

interface Work<Options> {
  /** The URL of the module that exports `readPart`. */
  readonly task: string;
  readonly options: Options;
  /** Continue after this entry. */
  readonly after?: EntryKey | undefined;
}

/** One UID is read ahead for each 64 MiB of the table, within these limits. Each takes a few MiB of memory. */
const BYTES_PER_READ = 64 * 1024 * 1024;
const [MIN_READS, MAX_READS] = [2, 8];

/**
 * The maximum number of entries of a page. Larger pages are no faster, and each one is in memory several times: as it
 * arrived, as text and as entries.
 */
const PAGE_ENTRIES = 250;

/** The number of pages of a UID that are read ahead. With fewer, the worker threads wait for pages. */
const PAGES_AHEAD = 4;

/** Returns the number of UIDs that are read at the same time. It follows the size of the table. */
async function readsFor(db: DynamoDBDocumentClient, tableName: string): Promise<number> {
  const { Table } = await db.send(new DescribeTableCommand({ TableName: tableName }));
  return Math.min(MAX_READS, Math.max(MIN_READS, Math.ceil((Table?.TableSizeBytes ?? 0) / BYTES_PER_READ)));
}

/**
 * Reads all entries that match a filter, and gives them to a task, page by page. Several UIDs are read at the same
 * time, and worker threads run the task. The parts come in one order all the same, whatever arrives first: that of a
 * scan, in which the entries of a UID come together, oldest first; chosen UIDs come in the order of the filter. A few
 * pages are in memory. While DynamoDB throttles, fewer UIDs are read at the same time.
 * docs/decisions/parallel-readers.md says why this is no parallel scan.
 * @throws the SDK's error if DynamoDB fails, and the task's error
 */
export async function* readParts<Options, Part>(
  { db, tableName }: { db: DynamoDBDocumentClient; tableName: string },
  filter: EntryFilter,
  { task, options, after }: Work<Options>,
): AsyncGenerator<EntriesPart<Part>> {
  const reader = entriesReader(db, tableName);
  // The worker threads do not filter.
  if (filter.orderId !== undefined || filter.stage !== undefined || filter.model !== undefined) {
    const { readPart } = (await import(task)) as { readPart: ReadPart<Options, Part> };
    let from = after;
    do {
      const { entries, scanned, next } = await reader.page(filter, { after: from });
      for (let index = 0, isLast = false; !isLast; ) {
        const read = readPart(entries, index, options);
        index = read.next;
        isLast = index >= entries.length;
        yield { part: read.part, scanned: isLast ? scanned : 0, ...(isLast && next && { next }) };
      }
      from = next;
    } while (from);
    return;
  }

  const reads = await readsFor(db, tableName);
  const pace = createPace(reads);
  const workers = await openPageWorkers<Options, Part>(task, options);

  async function* pagesOf(uid: string, start: EntryKey | undefined) {
    const { keyCondition, values } = conditionsOf(filter, uid);
    let from: EntryKey | undefined = start;
    do {
      const query = () =>
        sendForResponse(
          db,
          new QueryCommand({
            TableName: tableName,
            ConsistentRead: true,
            ExclusiveStartKey: from,
            Limit: PAGE_ENTRIES,
            KeyConditionExpression: keyCondition,
            ExpressionAttributeValues: values,
          }),
        );
      const response = await pace(query);
      from = nextKeyOf(response) as EntryKey | undefined;
      yield { parts: workers.read(response), next: from };
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
      for await (const { parts, next } of team.pages) {
        const continueAfter = next ?? (following.done ? undefined : { uid: following.value.uid, entryId: '' });
        for await (const { part, isLast, scanned } of parts as AsyncIterable<ReadPagePart<Part>>) {
          yield { part, scanned: isLast ? scanned : 0, ...(isLast && continueAfter && { next: continueAfter }) };
        }
      }
      ({ value: team, done } = following);
    }
  } finally {
    workers.close();
    inOrder.return(undefined).catch(() => {});
  }
}
