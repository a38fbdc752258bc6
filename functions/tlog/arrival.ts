import type { Entry } from '../ailog/entry.ts';
import { HASH_BYTES } from '../c2sp/hashing.ts';
import { entryHashOf, entryPreimage, type HashedAttributes } from './entryHash.ts';

/** The number of partitions per minute. One partition would throttle uploads. */
export const SHARDS = 16;

const TIME_BYTES = 6;

/** The attributes by which the index `byArrival` finds an entry. They are short because each entry holds them. */
export type ArrivalKeys = Required<Pick<Entry, 'slot' | 'arrival'>>;

/** Returns the partition of a time in ms since 1970 and a shard, such as `2025-11-14T09:31#5`. */
export const arrivalSlot = (receivedAt: number, shard: number): string =>
  `${new Date(receivedAt).toISOString().slice(0, 16)}#${shard}`;

/** Returns the beginning of the sort keys of a time (ms since 1970): 6 bytes, the highest first. */
export function arrivalTime(receivedAt: number): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(receivedAt, 0, TIME_BYTES);
  return time;
}

/**
 * Returns the keys of `byArrival`: minute of receipt and shard of the entry hash; time in 6 bytes and the hash in 32.
 */
export const arrivalKeys = (entry: HashedAttributes): ArrivalKeys =>
  arrivalKeysOf(entry.receivedAt, entryHashOf(entryPreimage(entry)));

/** As `arrivalKeys`, of an entry whose hash is known. */
export const arrivalKeysOf = (receivedAt: number, entryHash: Buffer): ArrivalKeys => ({
  slot: arrivalSlot(receivedAt, (entryHash[0] as number) % SHARDS),
  arrival: Buffer.concat([arrivalTime(receivedAt), entryHash]),
});

/** Returns the time and the entry hash in a sort key, or undefined if `arrivalKeys` did not make it. */
export function parseArrival(arrival: unknown): { receivedAt: number; entryHash: Buffer } | undefined {
  if (!(arrival instanceof Uint8Array) || arrival.length !== TIME_BYTES + HASH_BYTES) return undefined;
  const bytes = Buffer.from(arrival);
  return { receivedAt: bytes.readUIntBE(0, TIME_BYTES), entryHash: bytes.subarray(TIME_BYTES) };
}
