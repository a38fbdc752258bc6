import { sameHash } from '../../functions/c2sp/hashing.ts';
import {
  bundlesFrom,
  hashesAt,
  levelsOf,
  TILE_WIDTH,
  type Tile,
  tileOf,
  tilePath,
} from '../../functions/c2sp/tiles.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import { type BundleFiles, bundleCheck } from './bundleCheck.ts';
import type { Finding } from './findings.ts';
import { hashAt, splitHashes } from './hashLists.ts';
import { type Listing, partialsOf } from './listing.ts';
import { readInOrder } from './readInOrder.ts';
import { type PartialFile, tileChecks } from './tileChecks.ts';
import { type Subtree, type TreeBuilder, treeBuilder } from './treeBuilder.ts';

/** The files that are read at the same time. A bundle for which there are more is read alone. */
const CONCURRENT_READS = 64;

/** The state of the tree after a number of whole bundles. Bytes are hex. */
export interface TreeState {
  /** The number of the next bundle. */
  readonly bundle: number;
  readonly subtrees: readonly (readonly [height: number, hash: string])[];
  /** By level from 1, the hashes after its last full tile. */
  readonly levels: readonly string[];
  /** The number of entries that neither a bundle nor a tile shows. */
  readonly lost: number;
}

export const NO_TREE: TreeState = { bundle: 0, subtrees: [], levels: [], lost: 0 };

/** A check of the tree at a size, such as that of a checkpoint. */
export interface SizeCheck<Read> {
  readonly size: number;
  /** Reads what the check needs, ahead of it. */
  readonly read: () => Promise<Read>;
  readonly check: (read: Read, tree: TreeBuilder) => void;
}

interface Context {
  readonly files: TlogFiles;
  readonly size: number;
  readonly root: Uint8Array;
  readonly listing: Listing;
  /** Is called for each entry of the log. @param entry undefined if it is not known */
  readonly onEntry: (entry: Buffer | undefined, index: number) => void;
  readonly report: (finding: Finding) => void;
  /** Returns the checks at the sizes after `from` up to `until`, in ascending order. */
  readonly checksUntil: (from: number, until: number) => readonly SizeCheck<unknown>[];
  /** Is called after each bundle. @param state returns the state from which the audit can continue */
  readonly keep: (state: () => TreeState) => void;
  readonly advance: (entries: number) => void;
}

/** A bundle: its files, what it was before it was full, and the checks at sizes within it. */
interface Bundle extends BundleFiles {
  readonly partials: readonly PartialFile[];
  readonly checks: readonly { readonly sizeCheck: SizeCheck<unknown>; readonly read: unknown }[];
}

/**
 * Audits the tree of a log: the entry bundles have the hashes of the tiles of level 0, these those of level 1, and so
 * on up to the root. Every partial tile is the beginning of its full one.
 * @returns `root`: true if the root follows; `lost`: the number of entries that could not be read
 */
export async function auditTree(
  context: Context,
  from: TreeState,
): Promise<{ readonly root: boolean; readonly lost: number }> {
  const { files, size, root, listing, onEntry } = context;
  const tree = treeBuilder(
    from.subtrees.map(([height, hash]): Subtree => ({ height, hash: Buffer.from(hash, 'hex') })),
  );
  const levels: Uint8Array[][] = [[], ...from.levels.map((hashes) => splitHashes(Buffer.from(hashes, 'hex')))];
  const { readPartials, checkPartial, checkTile } = tileChecks(context);
  const checkBundle = bundleCheck({ ...context, tree });
  let { lost } = from;

  /** Returns the number of files that are read for a bundle. */
  const filesOf = ({ index, width }: Tile): number => {
    const partials = ['entries', 0] as const;
    const checks = context.checksUntil(index * TILE_WIDTH, index * TILE_WIDTH + width);
    return 2 + checks.length + partials.flatMap((level) => [...partialsOf(listing, level, index)]).length;
  };

  const readBundleFiles = async (tile: Tile): Promise<Bundle> => {
    const { index, width } = tile;
    const checks = context.checksUntil(index * TILE_WIDTH, index * TILE_WIDTH + width);
    const [entries, hashes, partialEntries, partialHashes, read] = await Promise.all([
      files.read(tilePath(tile)),
      files.read(tilePath({ level: 0, index, width })),
      readPartials('entries', index, width),
      readPartials(0, index, width),
      Promise.all(checks.map((one) => one.read())),
    ]);
    return {
      entries,
      hashes,
      partials: [...partialEntries, ...partialHashes],
      checks: checks.map((sizeCheck, at) => ({ sizeCheck, read: read[at] })),
    };
  };

  /** Adds a hash of level 0. @returns the tiles above that are full by it, with their hashes */
  const push = (hash: Uint8Array): (readonly [Tile, readonly Uint8Array[]])[] => {
    const full: (readonly [Tile, readonly Uint8Array[]])[] = [];
    for (const subtree of tree.push(hash)) {
      const level = subtree.height / 8;
      if (level < 1 || !Number.isInteger(level)) continue;
      const hashes = levels[level] ?? [];
      levels[level] = hashes;
      hashes.push(subtree.hash);
      if (hashes.length < TILE_WIDTH) continue;
      levels[level] = [];
      // The number of hashes that the level has now, this tile included.
      const index = hashesAt(level, entriesDone + 1) / TILE_WIDTH - 1;
      full.push([{ level, index, width: TILE_WIDTH }, hashes]);
    }
    return full;
  };

  const stateAfter = ({ index }: Tile): TreeState => ({
    bundle: index + 1,
    subtrees: tree.subtrees().map(({ height, hash }) => [height, Buffer.from(hash).toString('hex')] as const),
    levels: levels.slice(1).map((hashes) => Buffer.concat(hashes).toString('hex')),
    lost,
  });

  let entriesDone = from.bundle * TILE_WIDTH;
  for await (const [tile, bundle] of readInOrder(
    bundlesFrom(entriesDone, size),
    CONCURRENT_READS,
    filesOf,
    readBundleFiles,
  )) {
    const { entries, hashes } = await checkBundle(tile, bundle);
    if (hashes) {
      for (const { tile: partial, bytes } of bundle.partials) {
        if (partial.level === 0) checkPartial(partial, bytes, hashes);
        else if (bundle.entries && entries?.every((entry) => entry !== undefined))
          checkPartial(partial, bytes, bundle.entries);
      }
    }
    const checks = [...bundle.checks];
    const runChecks = () => {
      while (checks[0]?.sizeCheck.size === entriesDone) {
        const { sizeCheck, read } = checks.shift() as (typeof checks)[number];
        sizeCheck.check(read, tree);
      }
    };
    runChecks();
    for (let at = 0; at < tile.width; at += 1) {
      const entry = entries?.[at];
      if (!entry) lost += 1;
      onEntry(entry, entriesDone);
      if (!hashes) {
        // Neither file is there: no root from here on can be computed.
        const rest = size - entriesDone;
        return { root: false, lost: lost + rest - 1 };
      }
      for (const [full, above] of push(hashAt(hashes, at))) await checkTile(full, above);
      entriesDone += 1;
      runChecks();
    }
    context.advance(tile.width);
    if (tile.width === TILE_WIDTH) context.keep(() => stateAfter(tile));
  }
  for (const level of levelsOf(size).slice(1)) {
    const hashes = levels[level] ?? [];
    if (hashes.length > 0) await checkTile(tileOf(level, hashesAt(level, size) - 1, size), hashes);
  }
  return { root: sameHash(tree.root(), root), lost };
}
