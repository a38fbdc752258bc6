import { hash } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { apiError } from '../errors.ts';
import { firstCodePoints } from '../quote.ts';
import { ITEM_LIMIT_BYTES } from './limits.ts';
import type { AiLog } from './schema.ts';

/** Matches an entry id. */
export const ENTRY_ID = /^\d{13}-[0-9a-f]{32}$/;

/** A stored AI log. It is enough to prove years later who sent which bytes, and when. */
export interface Entry {
  readonly uid: string;
  /** `<timestamp>-<hash>`. It sorts by the caller's time and is the same for every attempt of the same request. */
  readonly entryId: string;
  /** The time at which the function received the request, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** 1 to 2^63 − 1. Absent if the log names no order. */
  readonly orderId?: bigint;
  /** From the log, at most 256 code points each. */
  readonly stage: string;
  readonly model: string;
  /** The request body, byte for byte, compressed with zstd. */
  readonly body: Uint8Array;
  /** Hex; the header AI-LOG-DIGEST. */
  readonly bodySha256: string;
  readonly bodyBytes: number;
  /** From the signed request, as its headers were sent. */
  readonly accessKey: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Never set: the service takes no query string. The preimage of an entry has a place for it. */
  readonly query?: string;
  readonly locale: string;
  readonly sourceIp: string;
  /** The time after which DynamoDB may delete the entry, in seconds since 1970. Absent: never. */
  readonly expiresAt?: number;
  /** The keys of the index `byArrival`. The upload function adds them when it stores the entry. */
  readonly slot?: string;
  readonly arrival?: Uint8Array;
}

export type Received = Pick<
  Entry,
  'uid' | 'accessKey' | 'timestamp' | 'signature' | 'receivedAt' | 'locale' | 'sourceIp' | 'expiresAt'
> & { readonly rawBody: Uint8Array };

type CopiedFields = Pick<AiLog, 'orderId' | 'stage' | 'model'>;

/** Returns the id of an entry, which a resent request has too, and no other one: docs/design.md, "Resending". */
export function entryIdOf(request: Pick<Entry, 'accessKey' | 'timestamp' | 'signature'>): string {
  const { accessKey, timestamp, signature } = request;
  return `${timestamp}-${hash('sha256', JSON.stringify([accessKey, timestamp, signature])).slice(0, 32)}`;
}

/** Returns the copy of a stage or model. A lone surrogate becomes U+FFFD, because DynamoDB cannot store it. */
export const copyOf = (text: string): string => firstCodePoints(text, 256).toWellFormed();

/** Compresses a body, harder where that saves a write unit (1 KB) per millisecond of CPU: docs/decisions.md#zstd. */
const compress = (rawBody: Uint8Array): Buffer =>
  zstdCompressSync(rawBody, {
    params: {
      [constants.ZSTD_c_compressionLevel]: rawBody.length <= 16 * 1024 ? 6 : 1,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });

/** Returns an entry without its body. The explanation is not copied: each kilobyte of an entry is billed. */
export function attributesOf(log: CopiedFields, { rawBody, ...received }: Received): Omit<Entry, 'body'> {
  return {
    ...received,
    entryId: entryIdOf(received),
    ...(Number(log.orderId ?? 0) === 0 ? {} : { orderId: BigInt(log.orderId as string) }),
    stage: copyOf(log.stage),
    model: copyOf(log.model),
    bodySha256: hash('sha256', rawBody),
    bodyBytes: rawBody.length,
  };
}

export const composeEntry = (log: CopiedFields, received: Received): Entry => ({
  ...attributesOf(log, received),
  body: compress(received.rawBody),
});

/** Returns an upper bound of an entry's size as a DynamoDB item, in bytes. Each number counts as 21, the maximum. */
export function itemBytes(entry: Entry): number {
  const sizeOf = (value: unknown) =>
    value instanceof Uint8Array ? value.length : typeof value === 'string' ? Buffer.byteLength(value) : 21;
  return Object.entries(entry).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0);
}

/** Checks that an entry fits into one DynamoDB item. @throws ApiError 413 with the limit and the sizes */
export function requireItemSize(entry: Entry): void {
  const stored = itemBytes(entry);
  if (stored > ITEM_LIMIT_BYTES)
    throw apiError('entryTooLarge', { limit: ITEM_LIMIT_BYTES, received: entry.bodyBytes, stored });
}

/** Returns when DynamoDB may delete an entry. A later change of the setting does not shorten what was promised. */
export const expiryOf = (receivedAt: number, days: number | undefined): Pick<Entry, 'expiresAt'> =>
  days === undefined ? {} : { expiresAt: Math.ceil(receivedAt / 1000) + days * 86_400 };
