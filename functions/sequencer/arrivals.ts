import { type DynamoDBDocumentClient, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { arrivalPartition, arrivalTime, parseArrival, SHARDS } from '../tlog/arrival.ts';
import { LEAF_ATTRIBUTES, type LeafSource, leafOf, leafPreimage } from '../tlog/leaf.ts';
import { concurrently } from './concurrently.ts';

/** When an entry was received, in milliseconds since 1970, and its 32 bytes in the log. */
export interface Arrival {
  readonly receivedAt: number;
  readonly leaf: Uint8Array;
}

const MINUTE = 60_000;

/** Queries at a time; each minute takes eight. */
const QUERIES = 32;

/** Parts of the table that are scanned at a time. */
const SEGMENTS = 8;

/** The entries as the sequencer sees them: their keys, and of older ones what their leaves are made of. Never a body. */
export type Arrivals = ReturnType<typeof arrivalsOf>;

/** Returns the entries in the AI logs table of this name. */
export const arrivalsOf = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Returns the entries that were received from a time on until before another. The index is eventually consistent: an entry
   * may appear in it later.
   * @param range milliseconds since 1970
   */
  async between([from, until]: readonly [number, number], abortSignal: AbortSignal): Promise<Arrival[]> {
    const partitions: string[] = [];
    for (let minute = Math.floor(from / MINUTE); minute * MINUTE < until; minute += 1) {
      for (let shard = 0; shard < SHARDS; shard += 1) partitions.push(arrivalPartition(minute * MINUTE, shard));
    }
    const found = await concurrently(partitions, QUERIES, async (partition) => {
      const arrivals: Arrival[] = [];
      let after: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await db.send(
          new QueryCommand({
            TableName: tableName,
            IndexName: 'byArrival',
            // A sort key goes on behind its time: nothing of the last millisecond's end is in between.
            KeyConditionExpression: 'arrivalPartition = :partition AND arrivalSort BETWEEN :from AND :until',
            ExpressionAttributeValues: {
              ':partition': partition,
              ':from': arrivalTime(from),
              ':until': arrivalTime(until),
            },
            ...(after && { ExclusiveStartKey: after }),
          }),
          { abortSignal },
        );
        for (const { arrivalSort } of Items) {
          // Keys that the service did not make are left to the daily look at the table itself.
          const arrival = parseArrival(arrivalSort);
          if (arrival) arrivals.push(arrival);
        }
        after = LastEvaluatedKey;
      } while (after);
      return arrivals;
    });
    return found.flat();
  },

  /**
   * Calls back for every entry of the table, in no order. An entry without arrival keys is older than the log, or was stored by
   * an older version of the upload function: its leaf is computed.
   */
  async visitAll(visit: (arrival: Arrival) => void, abortSignal: AbortSignal): Promise<void> {
    const attributes = [...LEAF_ATTRIBUTES, 'arrivalSort'];
    const scan = {
      TableName: tableName,
      ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
      TotalSegments: SEGMENTS,
    };
    await concurrently(Array(SEGMENTS).keys(), SEGMENTS, async (Segment) => {
      let after: Record<string, unknown> | undefined;
      do {
        const command = new ScanCommand({ ...scan, Segment, ...(after && { ExclusiveStartKey: after }) });
        const { Items = [], LastEvaluatedKey } = await db.send(command, { abortSignal });
        for (const item of Items) visit(arrivalOf(item));
        after = LastEvaluatedKey;
      } while (after);
    });
  },
});

/** Returns the arrival of an item: by its arrival keys, or if it has none that the service made, by its attributes. */
function arrivalOf(item: Record<string, unknown>): Arrival {
  const known = parseArrival(String(item.arrivalSort));
  if (known) return known;
  const entry = item as unknown as LeafSource;
  return { receivedAt: entry.receivedAt, leaf: leafOf(leafPreimage(entry)) };
}
