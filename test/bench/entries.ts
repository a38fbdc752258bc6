import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { composeEntry } from '../../functions/ailog/entry.ts';
import { received } from '../ailog/received.ts';

/** The number of entries in the tables of `npm run bench growth`. */
export const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);

/** Checks the number of entries. @throws Error if it is not one */
export function requireEntries(): void {
  if (Number.isSafeInteger(ENTRIES) && ENTRIES >= 1000) return;
  throw new Error(`BENCH_ENTRIES must be an integer of at least 1000, not "${process.env.BENCH_ENTRIES}".`);
}

/** DynamoDB's limit of a batch. */
const BATCH = 25;

/** Stores some items in a table. @param itemOf makes one of them, when its turn comes */
export async function storeItems(
  db: DynamoDBDocumentClient,
  table: string,
  count: number,
  itemOf: (n: number) => object,
): Promise<void> {
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => at * BATCH);
  const put = async (start: number) => {
    const requests = Array.from({ length: Math.min(BATCH, count - start) }, (_, at) => ({
      PutRequest: { Item: { ...itemOf(start + at) } },
    }));
    let RequestItems: BatchWriteCommandInput['RequestItems'] = { [table]: requests };
    while (RequestItems && Object.keys(RequestItems).length > 0) {
      RequestItems = (await db.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems;
    }
  };
  await pMap(starts, put, { concurrency: 8 });
}

/** Makes the entry of a log that its team signed at a time, when it came. @param caller how it differs from others */
export const entryAt = (
  at: number,
  log: Parameters<typeof composeEntry>[0],
  caller: Partial<typeof received>,
  body = JSON.stringify(log),
) => composeEntry(log, { ...received, timestamp: String(at), receivedAt: at, rawBody: Buffer.from(body), ...caller });
