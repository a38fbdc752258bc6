import { EMPTY_ROOT, sameHash } from '../../../functions/c2sp/hashing.ts';
import {
  appendEntries,
  EMPTY_EDGE,
  partialTiles,
  type RightEdge,
  rootOfEdge,
  type TileFile,
} from '../../../functions/c2sp/rightEdge.ts';
import { tilePath } from '../../../functions/c2sp/tiles.ts';
import type { Commit, Tree } from '../../../functions/tlog/commit.ts';

/** A log as it grows, commit by commit. `last`: the newest commit; undefined: none yet. */
export type GrownLog = Readonly<{ edge: RightEdge; tree: Tree; last: Commit | undefined }>;

export const NO_LOG: GrownLog = { edge: EMPTY_EDGE, tree: { size: 0, root: EMPTY_ROOT }, last: undefined };

/** Returns a test whether a tree has a tile with a path: a full tile, or a tile at its right edge. */
export function lastTiles(size: number): (path: string) => boolean {
  const { bundle, hashes } = partialTiles(size);
  const edge = new Set([bundle, ...hashes].flatMap((tile) => (tile ? tilePath(tile) : [])));
  return (path) => !path.includes('.p/') || edge.has(path);
}

export const isSameTree = (one: Tree, other: Tree): boolean =>
  one.size === other.size && sameHash(one.root, other.root);

/** Says what the times of a commit contradict of the one before; undefined: nothing. */
export function wrongTimes(commit: Commit, last: Commit | undefined): string | undefined {
  const before = last ?? { time: 0, cursor: 0, looked: 0 };
  const back = (['time', 'cursor', 'looked'] as const).find((name) => commit[name] < before[name]);
  return back && `its ${back} is ${commit[back]}, and that of the commit before is ${before[back]}`;
}

/**
 * Appends the entries of a commit. @returns the log with the new tiles and bundles
 * @throws Error if the commit does not continue the log, or if its root does not follow from its entries
 */
export function growBy({ edge, tree, last }: GrownLog, commit: Commit): GrownLog & { readonly files: TileFile[] } {
  const { n, from, to, entries } = commit;
  if (n !== (last?.n ?? 0) + 1) throw new Error(`commit ${n} does not follow commit ${last?.n ?? 0}`);
  if (!isSameTree(from, tree))
    throw new Error(`commit ${n} continues another tree of size ${from.size} than that before, of size ${tree.size}`);
  const times = wrongTimes(commit, last);
  if (times !== undefined) throw new Error(`the times of commit ${n} go back: ${times}`);
  const grown = appendEntries(edge, entries);
  if (!isSameTree({ size: grown.edge.size, root: rootOfEdge(grown.edge) }, to))
    throw new Error(`the root of commit ${n} does not follow from its entries`);
  return { edge: grown.edge, tree: to, last: commit, files: grown.files };
}
