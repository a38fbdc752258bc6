import { readBundle } from '../../functions/c2sp/entryBundle.ts';
import { HASH_BYTES, sameHash, treeHash } from '../../functions/c2sp/hashing.ts';
import { TILE_WIDTH, type Tile, tileOf, tilePath } from '../../functions/c2sp/tiles.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import type { Finding } from './findings.ts';
import { firstDifference, hashAt, hashesOf, splitHashes } from './hashLists.ts';
import { type TreeBuilder, treeBuilder } from './treeBuilder.ts';

/** The files of a bundle as they were read: its entries, and their hashes from the tile of level 0. */
export interface BundleFiles {
  readonly entries: Uint8Array | undefined;
  readonly hashes: Uint8Array | undefined;
}

/** Returns the 32-byte entries of a bundle; undefined if it is missing or not whole. */
function entriesOf(bytes: Uint8Array | undefined, width: number): Buffer[] | undefined {
  if (!bytes) return undefined;
  try {
    const entries = readBundle(bytes, width);
    return entries.every(({ length }) => length === HASH_BYTES) ? entries : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates a check that compares a bundle with its tile of level 0, and reports which of them is wrong.
 * @returns of that function: the entries as far as they are known, and the hashes
 */
export function bundleCheck({
  files,
  size,
  root,
  tree,
  report,
}: {
  files: TlogFiles;
  size: number;
  root: Uint8Array;
  /** The tree of the bundles before. */
  tree: TreeBuilder;
  report: (finding: Finding) => void;
}) {
  /** Returns true if hashes lead to the tile above them, or at the right edge to the root. */
  const leadUp = async (tile: Tile, hashes: Uint8Array): Promise<boolean> => {
    if (tile.width < TILE_WIDTH) {
      const copy = treeBuilder(tree.subtrees());
      for (const hash of splitHashes(hashes)) copy.push(hash);
      return sameHash(copy.root(), root);
    }
    const bytes = await files.read(tilePath(tileOf(1, tile.index, size)));
    const start = (tile.index % TILE_WIDTH) * HASH_BYTES;
    return bytes !== undefined && sameHash(bytes.subarray(start, start + HASH_BYTES), treeHash(hashes));
  };

  return async (tile: Tile, bundle: BundleFiles) => {
    const [path, hashPath] = [tilePath(tile), tilePath({ ...tile, level: 0 })];
    const entries = entriesOf(bundle.entries, tile.width);
    const computed = entries && hashesOf(entries);
    const stored = bundle.hashes?.length === tile.width * HASH_BYTES ? bundle.hashes : undefined;
    if (!entries) {
      const problem = bundle.entries
        ? `${path} does not hold ${tile.width} entries of 32 bytes.`
        : `${path} is missing.`;
      report({ kind: 'bundle', path, problem });
    }
    if (!stored) {
      const problem = bundle.hashes ? `${hashPath} does not hold ${tile.width} hashes.` : `${hashPath} is missing.`;
      report({ kind: 'tile', path: hashPath, problem });
    }
    if (!computed || !stored) return { entries, hashes: computed ?? stored };
    const at = firstDifference(computed, stored);
    if (at < 0) return { entries, hashes: computed };

    const index = tile.index * TILE_WIDTH + at;
    if (await leadUp(tile, stored)) {
      report({
        kind: 'bundle',
        path,
        index,
        problem: `Entry ${index} in ${path} is not the entry that was logged.`,
      });
      return {
        entries: entries?.map((entry, one) =>
          sameHash(hashAt(computed, one), hashAt(stored, one)) ? entry : undefined,
        ),
        hashes: stored,
      };
    }
    const isBundleRight = await leadUp(tile, computed);
    const problem = isBundleRight
      ? `The hash of entry ${index} in ${hashPath} is not that of the entry in ${path}.`
      : `${hashPath} and ${path} differ in entry ${index}, and neither leads to the root.`;
    report({ kind: 'tile', path: hashPath, index, problem });
    return { entries, hashes: computed };
  };
}
