import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { arrivalSlot, arrivalTime, parseArrival, SHARDS } from '../tlog/arrival.ts';

const MINUTE_MS = 60_000;

export type Arrival = NonNullable<ReturnType<typeof parseArrival>>;

export type Arrivals = ReturnType<typeof arrivalsOf>;

/** Returns the entries in the AI logs table of this name. */
export const arrivalsOf = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Returns when the table was created, before which no entry was received: milliseconds since 1970. */
  async beginning(abortSignal: AbortSignal): Promise<number> {
    const { Table } = await db.send(new DescribeTableCommand({ TableName: tableName }), { abortSignal });
    return Number(Table?.CreationDateTime);
  },

  /** Returns the entries that were received in a range (ms, without its end) as far as the index shows them yet. */
  async between([from, until]: readonly [number, number], abortSignal: AbortSignal): Promise<Arrival[]> {
    const partitions: string[] = [];
    for (let minute = Math.floor(from / MINUTE_MS); minute * MINUTE_MS < until; minute += 1) {
      for (let shard = 0; shard < SHARDS; shard += 1) partitions.push(arrivalSlot(minute * MINUTE_MS, shard));
    }
    const readPartition = async (partition: string) => {
      const query = {
        TableName: tableName,
        IndexName: 'byArrival',
        // A sort key continues after its time, so entries of the millisecond `until` are not included.
        KeyConditionExpression: 'slot = :partition AND arrival BETWEEN :from AND :until',
        ExpressionAttributeValues: {
          ':partition': partition,
          ':from': arrivalTime(from),
          ':until': arrivalTime(until),
        },
      };
      const pages = await Array.fromAsync(paginateQuery({ client: db }, query, { abortSignal }));
      // The audit names entries whose keys somebody has changed.
      return pages.flatMap(({ Items = [] }) => Items.flatMap(({ arrival }) => parseArrival(arrival) ?? []));
    };
    return (await pMap(partitions, readPartition, { concurrency: 32 })).flat();
  },
});
