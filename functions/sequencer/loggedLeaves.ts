import pMap from 'p-map';
import { readBundle } from '../c2sp/entryBundle.ts';
import { bundlesFrom, TILE_WIDTH, type Tile, tilePath } from '../c2sp/tiles.ts';
import { EntryHashSet } from '../tlog/entryHashSet.ts';
import type { OpenTlog } from './publish.ts';
import { requireFile, type TlogStorage } from './storage.ts';

/** Concurrent reads of bundles. */
const READS = 32;

/** Reads the leaves of the log from an index on. */
export async function leavesFrom(
  storage: TlogStorage,
  { head }: OpenTlog,
  index: number,
  abortSignal: AbortSignal,
): Promise<EntryHashSet> {
  const leaves = new EntryHashSet(head.size - index + (index % TILE_WIDTH));
  const readLeaves = async (bundle: Tile) => {
    const bytes = await requireFile(storage, tilePath(bundle), abortSignal);
    for (const leaf of readBundle(bytes, bundle.width)) leaves.add(leaf);
  };
  await pMap(bundlesFrom(index, head.size), readLeaves, { concurrency: READS });
  return leaves;
}
