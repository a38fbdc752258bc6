import type { Entry } from '../ailog/entry.ts';
import { featureRow } from '../features/featureRow.ts';
import type { RowBucket } from './rowBucket.ts';
import { type IndexedRow, storeRows } from './rowFolders.ts';

/** An attribute in a stream record: a text, the digits of a number, or bytes in base64. */
interface StreamedValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
}

/** A record of the stream of AI logs, as Lambda passes it. */
export interface StreamRecord {
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly NewImage: Readonly<Record<string, StreamedValue>>;
  };
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
export async function indexBatch(bucket: RowBucket, records: readonly StreamRecord[]) {
  const rows: IndexedRow[] = [];
  const poisoned: { sequenceNumber: string; problem: string }[] = [];
  for (const record of records) {
    try {
      rows.push(featureRow(entryOf(record)));
    } catch (error) {
      poisoned.push({ sequenceNumber: record.dynamodb.SequenceNumber, problem: (error as Error).message });
    }
  }
  const [first, last] = [records.at(0), records.at(-1)].map((record) => record?.dynamodb.SequenceNumber);
  return { rows: rows.length, days: await storeRows(bucket, `${first}-${last}`, rows), poisoned };
}
