import pMap from 'p-map';
import { appendEntries, type RightEdge, readEdge, rootOfEdge } from '../../../functions/c2sp/rightEdge.ts';
import { bundlesFrom, readBundle, TILE_WIDTH } from '../../../functions/c2sp/tiles.ts';
import { LEAF_COLUMNS, rowFile } from '../../../functions/features/rowFile.ts';
import type { OpenLog } from '../../proof/log/openLog.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Sync } from './fillRows.ts';
import { filesOf, type Manifest, type RowStore, type StoredFile } from './rowStore.ts';

const CONCURRENT_READS = 32;

const BUNDLES = 256;

const rootText = (edge: RightEdge): string => rootOfEdge(edge).toString('base64');

/**
 * Stores the leaves of a published log that were not read before. With them, the root that was seen before becomes that
 * of the checkpoint: nothing was changed, removed or inserted.
 * @returns the files; undefined if the log does not continue the one that was read before
 * @throws Failure if its files do not match its checkpoint
 */
async function storeLeaves(
  store: RowStore,
  { checkpoint, readTile }: Pick<OpenLog, 'checkpoint' | 'readTile'>,
  { treeSize, root }: Pick<Manifest, 'treeSize' | 'root'>,
): Promise<StoredFile[] | undefined> {
  const { size } = checkpoint;
  if (size < treeSize) return undefined;
  let edge = await readEdge(readTile, treeSize);
  if (treeSize > 0 && rootText(edge) !== root) return undefined;
  const files: StoredFile[] = [];
  while (edge.size < size) {
    const from = edge.size;
    const bundles = await pMap(
      bundlesFrom(from, size).take(BUNDLES),
      async (bundle) => readBundle(await readTile(bundle), bundle.width),
      { concurrency: CONCURRENT_READS },
    );
    const leaves = bundles.flat().slice(from % TILE_WIDTH);
    ({ edge } = appendEntries(edge, leaves));
    const rows = leaves.map((leaf, place) => ({ index: BigInt(from + place), leaf }));
    files.push(store.add('leaves', rowFile(LEAF_COLUMNS, rows), rows.length));
  }
  if (rootText(edge) === Buffer.from(checkpoint.root).toString('base64')) return files;
  throw new Failure('negative', `its files do not match its checkpoint of size ${size}.`, {
    advice: 'ailog tlog audit names them.',
  });
}

/** Stores the leaves of the log that are new. @returns them, and the files of those that are not in the log any more */
export async function readLeaves({ terminal, store, manifest }: Sync, log: OpenLog) {
  const next = await storeLeaves(store, log, manifest);
  const old: StoredFile[] = [];
  if (next) return { fresh: next, old };
  const { treeSize, root } = manifest;
  terminal.reportNegative();
  terminal.note(
    `The transparency log does not continue the one of the last sync, which had the size ${treeSize} and the root ${root}. Its leaves are read again.`,
  );
  const fresh = (await storeLeaves(store, log, { treeSize: 0, root: '' })) ?? [];
  return { fresh, old: filesOf(manifest, 'leaves').filter(({ rows }) => rows > 0) };
}
