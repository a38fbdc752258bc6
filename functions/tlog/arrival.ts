import type { Entry } from '../ailog/entry.ts';
import { type LeafSource, leafOf, leafPreimage } from './leaf.ts';

/** The partitions of each minute: enough that no partition of the index slows uploads down. */
export const SHARDS = 8;

/** The attributes by which the index `byArrival` finds an entry. */
export type ArrivalKeys = Required<Pick<Entry, 'arrivalPartition' | 'arrivalSort'>>;

/** Returns the partition of a minute and a shard, such as `2025-11-14T09:31#5`. @param receivedAt milliseconds since 1970 */
export const arrivalPartition = (receivedAt: number, shard: number): string =>
  `${new Date(receivedAt).toISOString().slice(0, 16)}#${shard}`;

/** Returns where the entries of a millisecond begin in the index: times sort as text. @param receivedAt milliseconds since 1970 */
export const arrivalTime = (receivedAt: number): string => String(receivedAt).padStart(13, '0');

/**
 * Returns the attributes that put an entry into the index `byArrival`: the partition is the minute in which it was received and
 * a shard of its leaf, and the sort key `<receivedAt>-<leaf in hex>`. Whoever stores an entry adds them to it.
 */
export function arrivalKeys(entry: LeafSource): ArrivalKeys {
  const leaf = leafOf(leafPreimage(entry));
  return {
    arrivalPartition: arrivalPartition(entry.receivedAt, (leaf[0] as number) % SHARDS),
    arrivalSort: `${arrivalTime(entry.receivedAt)}-${leaf.toString('hex')}`,
  };
}

/** Returns when an entry was received and its leaf, from its sort key. Undefined if that is not one that `arrivalKeys` made. */
export function parseArrival(arrivalSort: string): { receivedAt: number; leaf: Buffer } | undefined {
  const [, time, leaf] = /^([0-9]{13})-([0-9a-f]{64})$/.exec(arrivalSort) ?? [];
  return time && leaf ? { receivedAt: Number(time), leaf: Buffer.from(leaf, 'hex') } : undefined;
}
