import { createHash } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { apiError } from '../errors.ts';
import { ITEM_LIMIT } from './limits.ts';
import type { AiLog } from './schema.ts';

/** One stored AI log. Enough to prove, years later, who sent which bytes when. */
export interface Entry {
  readonly uid: string;
  /** `<timestamp>-<hash>`: sorts by the caller's time, and is the same for every try of the same request. */
  readonly entryId: string;
  /** When the function took the request, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Absent where the log belongs to no order. */
  readonly orderId?: bigint;
  readonly stage: string;
  readonly model: string;
  readonly explanation: string;
  /** The request body, byte for byte, compressed with zstd. */
  readonly body: Uint8Array;
  /** Hex SHA-256 of the request body. */
  readonly bodySha256: string;
  /** Length of the request body in bytes. */
  readonly bodyBytes: number;
  readonly accessKey: string;
  /** The text of ACCESS-TIMESTAMP. */
  readonly timestamp: string;
  readonly signature: string;
  /** The query string as it was signed; absent: none. */
  readonly query?: string;
  readonly locale: string;
  readonly sourceIp: string;
  /** From when on DynamoDB may delete it, in seconds since 1970; absent: never. */
  readonly expiresAt?: number;
}

/** The parts of an entry besides its log. */
export type Received = Pick<
  Entry,
  'uid' | 'accessKey' | 'timestamp' | 'signature' | 'receivedAt' | 'locale' | 'sourceIp' | 'expiresAt'
> & {
  /** The query string as it was signed; empty: none. */
  readonly query: string;
  /** The request body, byte for byte. */
  readonly rawBody: Uint8Array;
};

/**
 * Returns the id of an entry. Access key, timestamp and signature determine it, and the signature covers the body: a request
 * that is sent again finds its own entry, and no other request can have that id.
 */
export function entryIdOf({
  accessKey,
  timestamp,
  signature,
}: Pick<Entry, 'accessKey' | 'timestamp' | 'signature'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([accessKey, timestamp, signature]))
    .digest('hex');
  return `${timestamp}-${hash.slice(0, 32)}`;
}

/**
 * Returns the entry of a log. Stage, model and explanation are copied out of the body to be found by; a half emoji in them
 * becomes U+FFFD there, because a table cannot hold it. In the body it stays as it was.
 */
export function composeEntry(log: AiLog, { rawBody, query, ...received }: Received): Entry {
  return {
    ...received,
    entryId: entryIdOf(received),
    ...(Number(log.orderId ?? 0) === 0 ? {} : { orderId: BigInt(log.orderId as string) }),
    stage: log.stage.toWellFormed(),
    model: log.model.toWellFormed(),
    explanation: log.explanation.toWellFormed(),
    body: zstdCompressSync(rawBody, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    bodySha256: createHash('sha256').update(rawBody).digest('hex'),
    bodyBytes: rawBody.length,
    ...(query === '' ? {} : { query }),
  };
}

/** Returns the size of an entry as a DynamoDB item, in bytes, at most: each number counts as 21, the largest there is. */
export function itemBytes(entry: Entry): number {
  const sizeOf = (value: unknown) =>
    value instanceof Uint8Array ? value.length : typeof value === 'string' ? Buffer.byteLength(value) : 21;
  return Object.entries(entry).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0);
}

/** Checks that an entry fits one DynamoDB item. @throws ApiError 413 that states the sizes */
export function requireItemSize(entry: Entry): void {
  const stored = itemBytes(entry);
  if (stored > ITEM_LIMIT) throw apiError('entryTooLarge', { limit: ITEM_LIMIT, received: entry.bodyBytes, stored });
}

/**
 * Returns when DynamoDB may delete an entry, as an attribute of it.
 * @param receivedAt milliseconds since 1970
 * @param days how long it is kept; undefined: forever
 */
export const expiryOf = (receivedAt: number, days: number | undefined): Pick<Entry, 'expiresAt'> =>
  days === undefined ? {} : { expiresAt: Math.ceil(receivedAt / 1000) + days * 86_400 };
