import type { createLogger } from '../logLine.ts';
import { compactDays } from './compactDays.ts';
import { indexBatch, type StreamRecord } from './indexBatch.ts';
import type { RowBucket } from './rowBucket.ts';

/** The time that the compaction of one day may take, in milliseconds. None starts with less. */
const COMPACTION_MS = 5 * 60_000;

/** A batch of the stream, or the nightly schedule. */
interface IndexerEvent {
  readonly Records?: readonly StreamRecord[];
}

interface Context {
  /** Milliseconds until Lambda ends the run. */
  getRemainingTimeInMillis(): number;
}

/** The response that names the records to retry. Source: Lambda Developer Guide, "Partial batch response". */
interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Creates the Lambda handler: it stores the rows of a batch of the stream or, if the event has no records, compacts the
 * closed days. docs/decisions/streams.md says why.
 */
export const createHandler = (
  { bucket, now }: { bucket: RowBucket; now: () => number },
  write: ReturnType<typeof createLogger>,
) => {
  const index = async (records: readonly StreamRecord[]): Promise<BatchResponse> => {
    const start = now();
    const { poisoned, ...indexed } = await indexBatch(bucket, records);
    write(poisoned.length > 0 ? 'ERROR' : 'INFO', {
      message: 'indexed',
      fields: { ...indexed, poisoned, milliseconds: now() - start },
      metrics: { RowsIndexed: indexed.rows, EntriesPoisoned: poisoned.length },
    });
    return { batchItemFailures: poisoned.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
  };

  const compact = async (context: Context): Promise<BatchResponse> => {
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

  return async ({ Records }: IndexerEvent, context: Context): Promise<BatchResponse> => {
    try {
      return await (Records ? index(Records) : compact(context));
    } catch (error) {
      const { name, message, stack } = error as Error;
      write('ERROR', { message: 'failed', fields: { error: { name, message, stack } }, metrics: { RowsIndexed: 0 } });
      throw error;
    }
  };
};
