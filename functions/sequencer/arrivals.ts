import { type DynamoDBDocumentClient, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { arrivalSlot, arrivalTime, parseArrival, SHARDS } from '../tlog/arrival.ts';
import { entryHashOf, entryPreimage, HASHED_ATTRIBUTES, type HashedAttributes } from '../tlog/entryHash.ts';
import type { ScanPosition } from '../tlog/tlogTable.ts';

/** The time at which an entry was received, in milliseconds since 1970, and its 32 bytes in the log. */
export interface Arrival {
  readonly receivedAt: number;
  readonly entryHash: Uint8Array;
}

const MINUTE_MS = 60_000;

/** Concurrent queries. Each minute takes eight. */
const QUERIES = 32;

/** The segments of a parallel scan. */
export const SEGMENTS = 8;

/** Reads the arrival keys of entries, and the hashed attributes of entries without them. It never reads a body. */
export type Arrivals = ReturnType<typeof arrivalsOf>;

/**
 * Returns the entries in the AI logs table of this name.
 * @param pageSize the maximum number of entries in a page of a scan; undefined: as many as 1 MB holds
 */
export const arrivalsOf = (db: DynamoDBDocumentClient, tableName: string, pageSize?: number) => ({
  /**
   * Returns the entries that were received from a time on until before another. The index is eventually consistent: an
   * entry may appear in it later.
   * @param range milliseconds since 1970
   */
  async between([from, until]: readonly [number, number], abortSignal: AbortSignal): Promise<Arrival[]> {
    const partitions: string[] = [];
    for (let minute = Math.floor(from / MINUTE_MS); minute * MINUTE_MS < until; minute += 1) {
      for (let shard = 0; shard < SHARDS; shard += 1) partitions.push(arrivalSlot(minute * MINUTE_MS, shard));
    }
    const readPartition = async (partition: string) => {
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
          // The daily reconciliation finds entries whose keys were edited.
          const known = parseArrival(arrival);
          if (known) arrivals.push(known);
        }
        after = LastEvaluatedKey;
      } while (after);
      return arrivals;
    };
    const found = await pMap(partitions, readPartition, { concurrency: QUERIES });
    return found.flat();
  },

  /**
   * Reads the next page of a segment of the table. Entries are in no order. If an entry has no arrival keys, because
   * something else than the upload function stored it, its hash is computed.
   * @param segment 0 to `SEGMENTS` - 1
   * @param position where to go on; not the end
   */
  async page(
    segment: number,
    position: Exclude<ScanPosition, 'end'>,
    abortSignal: AbortSignal,
  ): Promise<{ arrivals: Arrival[]; position: ScanPosition }> {
    const attributes = [...HASHED_ATTRIBUTES, 'arrival'];
    const { Items = [], LastEvaluatedKey } = await db.send(
      new ScanCommand({
        TableName: tableName,
        ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
        Segment: segment,
        TotalSegments: SEGMENTS,
        ...(pageSize !== undefined && { Limit: pageSize }),
        ...(position !== 'start' && { ExclusiveStartKey: position }),
      }),
      { abortSignal },
    );
    return { arrivals: Items.map(arrivalOf), position: (LastEvaluatedKey as ScanPosition | undefined) ?? 'end' };
  },
});

/** Returns the arrival of an item from its arrival keys; without valid ones, from its attributes. */
function arrivalOf(item: Record<string, unknown>): Arrival {
  const known = parseArrival(item.arrival);
  if (known) return known;
  const entry = item as unknown as HashedAttributes;
  return { receivedAt: entry.receivedAt, entryHash: entryHashOf(entryPreimage(entry)) };
}
