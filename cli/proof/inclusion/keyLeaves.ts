import { pMapIterable } from 'p-map';
import { bundlesFrom, readBundle, TILE_WIDTH, type Tile, tilePath } from '../../../functions/c2sp/tiles.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { entryHashOf, isAnnounced, keyPreimage, retentionPreimage } from '../../../functions/tlog/entryHash.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';

const READS = 32;

/** The most days that the setting entryRetentionDays allows. */
const MAX_DAYS = 36_500;

const hex = (entryHash: Uint8Array): string => Buffer.from(entryHash).toString('hex');

/** Returns the entry hash of a key in hex. @param key the verifier key as text */
export const keyHash = (key: string): string => hex(entryHashOf(keyPreimage(key)));

let retentions: ReadonlyMap<string, number> | undefined;

/** Returns the days of the retention that an entry of the log announces; undefined: it announces none. */
export function announcedDays(entryHash: Uint8Array): number | undefined {
  if (!isAnnounced(entryHash)) return undefined;
  const days = Array.from({ length: MAX_DAYS + 1 }, (_, count) => count);
  retentions ??= new Map(days.map((count) => [hex(entryHashOf(retentionPreimage(count))), count]));
  return retentions.get(hex(entryHash));
}

/** An entry of a log that stands for a key, with its entry hash in hex. */
export type KeyLeaf = Readonly<{ index: number; hash: string }>;

/**
 * Returns those entries of a log that stand for keys: nobody who writes the tables can add or hide one.
 * @param first the index of the first entry
 */
export const keyLeavesIn = (entries: readonly (Uint8Array | undefined)[], first: number): KeyLeaf[] =>
  entries.flatMap((entry, at) =>
    entry && isAnnounced(entry) && announcedDays(entry) === undefined ? [{ index: first + at, hash: hex(entry) }] : [],
  );

/**
 * Reads a log for its keys, in their order. They are not verified, and a bundle that cannot be read has none.
 * @param size that of the log @param until the index before which they are
 */
export async function readKeyLeaves(files: TlogFiles, size: number, until = size): Promise<KeyLeaf[]> {
  const read = async (bundle: Tile) => {
    const bytes = await files.read(tilePath(bundle));
    return [bundle, (bytes && orUndefined(() => readBundle(bytes, bundle.width))) ?? []] as const;
  };
  const tiles = [...bundlesFrom(0, size)].filter(({ index }) => index * TILE_WIDTH < until);
  const found: KeyLeaf[] = [];
  for await (const [{ index }, entries] of pMapIterable(tiles, read, { concurrency: READS }))
    found.push(...keyLeavesIn(entries, index * TILE_WIDTH));
  return found.filter(({ index }) => index < until);
}
