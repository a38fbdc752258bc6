import type { Context, DynamoDBBatchResponse } from 'aws-lambda';
import type { Entry } from '../ailog/entry.ts';
import { featureRow } from '../features/featureRow.ts';
import { type createLogger, describeError } from '../logLine.ts';
import { compactDays } from './compactDays.ts';
import type { RowBucket } from './rowBucket.ts';
import { type IndexedRow, storeRows } from './rowFolders.ts';

/** An attribute in a stream record: a text, the digits of a number, or bytes in base64. */
type StreamedValue = Partial<Readonly<Record<'S' | 'N' | 'B', string>>>;

export interface StreamRecord {
  readonly dynamodb: { readonly SequenceNumber: string; readonly NewImage: Readonly<Record<string, StreamedValue>> };
}

const entryOf = ({ dynamodb }: StreamRecord): Entry =>
  Object.fromEntries(
    Object.entries(dynamodb.NewImage).map(([name, { S, N, B = '' }]) => {
      if (N === undefined) return [name, S ?? Buffer.from(B, 'base64')];
      // It does not fit a JavaScript number.
      return [name, name === 'orderId' ? BigInt(N) : Number(N)];
    }),
  ) as unknown as Entry;

/** The size of the bodies whose rows are stored together, in bytes: a batch of ordinary logs. */
const FILE_BYTES = 16 * 1024 * 1024;

/** The time that is left for storing rows when no other row is made, in milliseconds. */
const STORING_MS = 60_000;

/**
 * Stores the rows of a batch. Lambda retries from the first poisoned record on, then discards the rest, so all others
 * are stored before it is reported. Files are named by range in the stream, so that retries store nothing twice. Large
 * logs have files of their own; Lambda goes on at the first record without time.
 * @returns the number of rows and of days, the records without a row, and the first one that was not read
 */
async function indexBatch(bucket: RowBucket, records: readonly StreamRecord[], hasTime: () => boolean) {
  const poisoned: { sequenceNumber: string; problem: string }[] = [];
  let [rows, days] = [0, 0];
  let made: IndexedRow[] = [];
  let bytes = 0;
  let first: string | undefined;
  let unread: string | undefined;
  for (const [place, record] of records.entries()) {
    const { SequenceNumber } = record.dynamodb;
    first ??= SequenceNumber;
    try {
      made.push(featureRow(entryOf(record)));
      bytes += made.at(-1)?.row.body_bytes ?? 0;
    } catch (error) {
      poisoned.push({ sequenceNumber: SequenceNumber, problem: (error as Error).message });
    }
    if (!hasTime()) unread = records[place + 1]?.dynamodb.SequenceNumber;
    if (place + 1 < records.length && unread === undefined && bytes < FILE_BYTES) continue;
    rows += made.length;
    days += await storeRows(bucket, `${first}-${SequenceNumber}`, made);
    if (unread !== undefined) break;
    made = [];
    bytes = 0;
    first = undefined;
  }
  return { rows, days, poisoned, unread };
}

/** The time that the compaction of one day may take, in milliseconds. None starts with less. */
const COMPACTION_MS = 5 * 60_000;

type IndexerEvent = { readonly Records?: readonly StreamRecord[] };

type RemainingTime = Pick<Context, 'getRemainingTimeInMillis'>;

/** Creates the Lambda handler: docs/decisions.md#streams. Without records, it compacts the closed days. */
export const createHandler = (
  { bucket, now }: { bucket: RowBucket; now: () => number },
  write: ReturnType<typeof createLogger>,
) => {
  const index = async (records: readonly StreamRecord[], context: RemainingTime): Promise<DynamoDBBatchResponse> => {
    const start = now();
    const hasTime = () => context.getRemainingTimeInMillis() > STORING_MS;
    const { poisoned, ...indexed } = await indexBatch(bucket, records, hasTime);
    write(poisoned.length > 0 ? 'ERROR' : 'INFO', {
      message: 'indexed',
      fields: { ...indexed, poisoned, milliseconds: now() - start },
      metrics: { RowsIndexed: indexed.rows, EntriesPoisoned: poisoned.length },
    });
    const { unread } = indexed;
    const failed = poisoned.map(({ sequenceNumber }) => sequenceNumber).concat(unread ?? []);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };

  const compact = async (context: RemainingTime): Promise<DynamoDBBatchResponse> => {
    const start = now();
    const hasTime = () => context.getRemainingTimeInMillis() > COMPACTION_MS;
    const folders = await compactDays(bucket, { now: start, hasTime });
    write('INFO', {
      message: 'compacted',
      fields: { folders, milliseconds: now() - start },
      metrics: { RowsIndexed: 0 },
    });
    return { batchItemFailures: [] };
  };

  return async ({ Records }: IndexerEvent, context: RemainingTime): Promise<DynamoDBBatchResponse> => {
    try {
      return await (Records ? index(Records, context) : compact(context));
    } catch (error) {
      write('ERROR', { message: 'failed', fields: { error: describeError(error) }, metrics: { RowsIndexed: 0 } });
      throw error;
    }
  };
};
