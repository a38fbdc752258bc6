import { readBundle } from '../c2sp/entryBundle.ts';
import { bundlesFrom, tilePath } from '../c2sp/tiles.ts';
import { concurrently } from './concurrently.ts';
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
  await concurrently(bundlesFrom(index, head.size), READS, async (bundle) => {
    const bytes = await requireFile(storage, tilePath(bundle), abortSignal);
    for (const leaf of readBundle(bytes, bundle.width)) leaves.add(leaf);
  });
  return leaves;
}
