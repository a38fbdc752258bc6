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

/** Returns the entry in a stream record. The order id does not fit a JavaScript number. */
const entryOf = ({ dynamodb }: StreamRecord): Entry =>
  Object.fromEntries(
    Object.entries(dynamodb.NewImage).map(([name, { S, N, B = '' }]) => {
      if (N === undefined) return [name, S ?? Buffer.from(B, 'base64')];
      return [name, name === 'orderId' ? BigInt(N) : Number(N)];
    }),
  ) as unknown as Entry;

/**
 * Stores the rows of a batch. Lambda retries a batch from its first poisoned record on, and then discards the rest. So
 * the rows of all others are stored before that record is reported, those after it too. The name of the files is the
 * range of the batch in the stream: the same batch is stored once, however often it is retried.
 * @returns the number of rows, that of the days on which the entries were received, and the records without a row
 */
async function indexBatch(bucket: RowBucket, records: readonly StreamRecord[]) {
  const rows: IndexedRow[] = [];
  const poisoned: { sequenceNumber: string; problem: string }[] = [];
  for (const record of records) {
    try {
      rows.push(featureRow(entryOf(record)));
    } catch (error) {
      poisoned.push({ sequenceNumber: record.dynamodb.SequenceNumber, problem: (error as Error).message });
    }
  }
  const first = records.at(0)?.dynamodb.SequenceNumber;
  const last = records.at(-1)?.dynamodb.SequenceNumber;
  return { rows: rows.length, days: await storeRows(bucket, `${first}-${last}`, rows), poisoned };
}

/** The time that the compaction of one day may take, in milliseconds. None starts with less. */
const COMPACTION_MS = 5 * 60_000;

/** A batch of the stream, or the nightly schedule. */
type IndexerEvent = { readonly Records?: readonly StreamRecord[] };

type RemainingTime = Pick<Context, 'getRemainingTimeInMillis'>;

/**
 * Creates the Lambda handler: it stores the rows of a batch of the stream or, if the event has no records, compacts the
 * closed days. docs/decisions.md#streams says why.
 */
export const createHandler = (
  { bucket, now }: { bucket: RowBucket; now: () => number },
  write: ReturnType<typeof createLogger>,
) => {
  const index = async (records: readonly StreamRecord[]): Promise<DynamoDBBatchResponse> => {
    const start = now();
    const { poisoned, ...indexed } = await indexBatch(bucket, records);
    write(poisoned.length > 0 ? 'ERROR' : 'INFO', {
      message: 'indexed',
      fields: { ...indexed, poisoned, milliseconds: now() - start },
      metrics: { RowsIndexed: indexed.rows, EntriesPoisoned: poisoned.length },
    });
    return { batchItemFailures: poisoned.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
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
      return await (Records ? index(Records) : compact(context));
    } catch (error) {
      write('ERROR', { message: 'failed', fields: { error: describeError(error) }, metrics: { RowsIndexed: 0 } });
      throw error;
    }
  };
};
