import { type DynamoDBDocumentClient, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { arrivalSlot, arrivalTime, parseArrival, SHARDS } from '../tlog/arrival.ts';
import { LEAF_ATTRIBUTES, type LeafSource, leafOf, leafPreimage } from '../tlog/leaf.ts';
import { concurrently } from './concurrently.ts';

/** The time at which an entry was received, in milliseconds since 1970, and its 32 bytes in the log. */
export interface Arrival {
  readonly receivedAt: number;
  readonly leaf: Uint8Array;
}

const MINUTE = 60_000;

/** Concurrent queries. Each minute takes eight. */
const QUERIES = 32;

/** Segments of a parallel scan. */
const SEGMENTS = 8;

/** Reads the arrival keys of entries, and the leaf attributes of entries without them. It never reads a body. */
export type Arrivals = ReturnType<typeof arrivalsOf>;

/** Returns the entries in the AI logs table of this name. */
export const arrivalsOf = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Returns the entries that were received from a time on until before another. The index is eventually consistent: an
   * entry may appear in it later.
   * @param range milliseconds since 1970
   */
  async between([from, until]: readonly [number, number], abortSignal: AbortSignal): Promise<Arrival[]> {
    const partitions: string[] = [];
    for (let minute = Math.floor(from / MINUTE); minute * MINUTE < until; minute += 1) {
      for (let shard = 0; shard < SHARDS; shard += 1) partitions.push(arrivalSlot(minute * MINUTE, shard));
    }
    const found = await concurrently(partitions, QUERIES, async (partition) => {
      const arrivals: Arrival[] = [];
      let after: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await db.send(
          new QueryCommand({
            TableName: tableName,
            IndexName: 'byArrival',
            // A sort key continues after its time, so entries of the millisecond `until` are not included.
            KeyConditionExpression: 'slot = :partition AND arrival BETWEEN :from AND :until',
            ExpressionAttributeValues: {
              ':partition': partition,
              ':from': arrivalTime(from),
              ':until': arrivalTime(until),
            },
            ...(after && { ExclusiveStartKey: after }),
          }),
          { abortSignal },
        );
        for (const { arrival } of Items) {
          // The daily look finds entries whose keys were edited.
          const known = parseArrival(arrival);
          if (known) arrivals.push(known);
        }
        after = LastEvaluatedKey;
      } while (after);
      return arrivals;
    });
    return found.flat();
  },

  /**
   * Calls `visit` for every entry of the table, in no order. If an entry has no arrival keys, because it is older than
   * the log or was stored by an older version of the upload function, its leaf is computed.
   */
  async visitAll(visit: (arrival: Arrival) => void, abortSignal: AbortSignal): Promise<void> {
    const attributes = [...LEAF_ATTRIBUTES, 'arrival'];
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

/** Returns the arrival of an item from its arrival keys; without valid ones, from its attributes. */
function arrivalOf(item: Record<string, unknown>): Arrival {
  const known = parseArrival(item.arrival);
  if (known) return known;
  const entry = item as unknown as LeafSource;
  return { receivedAt: entry.receivedAt, leaf: leafOf(leafPreimage(entry)) };
}
