import pMap from 'p-map';
import { readBundle } from '../c2sp/entryBundle.ts';
import { bundlesFrom, type Tile, tilePath } from '../c2sp/tiles.ts';
import { LeafSet } from './leafSet.ts';
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
): Promise<LeafSet> {
  const leaves = new LeafSet(head.size - index);
  const readLeaves = async (bundle: Tile) => {
    const bytes = await requireFile(storage, tilePath(bundle), abortSignal);
    for (const leaf of readBundle(bytes, bundle.width)) leaves.add(leaf);
  };
  await pMap(bundlesFrom(index, head.size), readLeaves, { concurrency: READS });
  return leaves;
}
