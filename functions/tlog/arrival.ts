import type { Entry } from '../ailog/entry.ts';
import { type LeafSource, leafOf, leafPreimage } from './leaf.ts';

/** The number of partitions per minute. One partition would throttle uploads. */
export const SHARDS = 8;

/** The attributes by which the index `byArrival` finds an entry. */
export type ArrivalKeys = Required<Pick<Entry, 'arrivalPartition' | 'arrivalSort'>>;

/**
 * Returns the partition of a minute and a shard, such as `2025-11-14T09:31#5`.
 * @param receivedAt milliseconds since 1970
 */
export const arrivalPartition = (receivedAt: number, shard: number): string =>
  `${new Date(receivedAt).toISOString().slice(0, 16)}#${shard}`;

/**
 * Returns the beginning of the sort keys of a millisecond. Times sort as text.
 * @param receivedAt milliseconds since 1970
 */
export const arrivalTime = (receivedAt: number): string => String(receivedAt).padStart(13, '0');

/**
 * Returns the attributes that put an entry into the index `byArrival`: the partition is the minute in which it was
 * received and a shard of its leaf, the sort key is `<receivedAt>-<leaf in hex>`. The upload function stores them with
 * the entry.
 */
export function arrivalKeys(entry: LeafSource): ArrivalKeys {
  const leaf = leafOf(leafPreimage(entry));
  return {
    arrivalPartition: arrivalPartition(entry.receivedAt, (leaf[0] as number) % SHARDS),
    arrivalSort: `${arrivalTime(entry.receivedAt)}-${leaf.toString('hex')}`,
  };
}

/** Returns the time and the leaf in a sort key, or undefined if `arrivalKeys` did not make it. */
export function parseArrival(arrivalSort: string): { receivedAt: number; leaf: Buffer } | undefined {
  const [, time, leaf] = /^([0-9]{13})-([0-9a-f]{64})$/.exec(arrivalSort) ?? [];
  return time && leaf ? { receivedAt: Number(time), leaf: Buffer.from(leaf, 'hex') } : undefined;
}
