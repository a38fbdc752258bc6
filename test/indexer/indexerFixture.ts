import { zstdDecompressSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { parquetReadObjects } from 'hyparquet';
import { localIdentity } from '../../cli/store/targets/data.ts';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import type { StreamRecord } from '../../functions/indexer/handler.ts';
import { createHandler } from '../../functions/indexer/handler.ts';
import { rowBucket } from '../../functions/indexer/rowBucket.ts';
import { createLogger } from '../../functions/logLine.ts';
import { received } from '../ailog/received.ts';
import { aiLog, jsonOf, startCloud } from '../setup/world.ts';

export const DAY_MS = 86_400_000;
export const NOON = Date.parse('2025-11-17T12:00:00Z');

/** Returns an entry of a UID that was received at a time. The number makes it another one. */
export const entryOf = (number: number, receivedAt = NOON, uid = '42', more = ''): Entry => {
  const rawBody = Buffer.from(jsonOf({ ...aiLog, explanation: `reason ${number}${more}` }));
  const signature = String(number);
  const log = { ...aiLog, orderId: String(aiLog.orderId) };
  return composeEntry(log, { ...received, uid, receivedAt, timestamp: String(receivedAt), signature, rawBody });
};

/** Returns an event as Lambda passes it: entries in DynamoDB's JSON, with bytes in base64. */
export const streamed = (entries: readonly Entry[], first = 100) => ({
  Records: entries.map((entry, index): StreamRecord => {
    const attributes = Object.entries(entry).map(([name, value]) => {
      if (value instanceof Uint8Array) return [name, { B: Buffer.from(value).toString('base64') }];
      return [name, typeof value === 'string' ? { S: value } : { N: String(value) }];
    });
    return { dynamodb: { SequenceNumber: String(first + index), NewImage: Object.fromEntries(attributes) } };
  }),
});

/** Opens the indexer on an empty bucket. It is noon until `wait` lets a day pass. */
export async function openIndexer() {
  const cloud = await startCloud();
  const openClient = () => new S3Client({ endpoint: cloud.way.url, ...localIdentity, maxAttempts: 1 });
  const bucket = rowBucket(openClient(), 'bucket');
  let now = NOON;
  const handler = createHandler({ bucket, now: () => now }, createLogger({ serviceName: 'test', logLevel: 'INFO' }));
  const readFile = (name: string) =>
    parquetReadObjects({
      file: new Uint8Array(cloud.objects.get(name)?.body as Buffer).buffer,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      utf8: false,
    });
  /** Returns all rows below a folder, in the order of the names of their files. */
  const rowsBelow = async (folder: string) =>
    (await Promise.all((await bucket.list(folder)).sort().map(readFile))).flat();
  return {
    cloud,
    openClient,
    bucket,
    rowsBelow,
    idsBelow: async (folder: string) => (await rowsBelow(folder)).map(({ entry_id }) => entry_id as string),
    index: (event: ReturnType<typeof streamed>, remainingMs = () => 900_000) =>
      handler(event, { getRemainingTimeInMillis: remainingMs }),
    compact: (remainingMs = 900_000) => handler({}, { getRemainingTimeInMillis: () => remainingMs }),
    wait: () => {
      now = NOON + DAY_MS;
    },
    /** Empties the bucket, and turns the clock back to noon. */
    reset: () => {
      cloud.objects.clear();
      cloud.way.plan();
      cloud.calls();
      now = NOON;
    },
  };
}
