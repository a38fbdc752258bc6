import { readBundle } from '../../../functions/tlog/entryBundle.ts';
import { HASH_BYTES, recordHash, sameHash, treeHash } from '../../../functions/tlog/hashing.ts';
import {
  bundlesFrom,
  hashesAt,
  levelsOf,
  TILE_WIDTH,
  type Tile,
  tileOf,
  tilePath,
} from '../../../functions/tlog/tiles.ts';
import type { LogFiles } from '../logFiles.ts';
import type { Finding } from './findings.ts';
import { type Listing, partialsOf } from './listing.ts';
import { readInOrder } from './readInOrder.ts';
import { type Subtree, type TreeBuilder, treeBuilder } from './treeBuilder.ts';

/** The files that are read at the same time. A bundle for which there are more is read alone. */
const READS = 64;

/** The length of an entry in a bundle: its length in two bytes, and a hash. */
const BUNDLED_BYTES = 2 + HASH_BYTES;

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
export interface Stop<Read> {
  readonly size: number;
  /** Reads what the check needs, ahead of it. */
  readonly read: () => Promise<Read>;
  readonly check: (read: Read, tree: TreeBuilder) => void;
}

/** The means of the audit of a tree. */
interface Means {
  readonly files: LogFiles;
  readonly size: number;
  readonly root: Uint8Array;
  readonly listing: Listing;
  /** Is called for each entry of the log. @param entry undefined if it is not known */
  readonly onEntry: (entry: Buffer | undefined, index: number) => void;
  readonly report: (finding: Finding) => void;
  /** Returns the checks at the sizes after `from` up to `until`, in ascending order. */
  readonly stopsUntil: (from: number, until: number) => readonly Stop<unknown>[];
  /** Is called after each bundle. @param state returns the state from which the audit can continue */
  readonly keep: (state: () => TreeState) => void;
  readonly advance: (entries: number) => void;
}

/** The files of one bundle. */
interface Bundle {
  readonly entries: Uint8Array | undefined;
  readonly hashes: Uint8Array | undefined;
  readonly partials: readonly { readonly tile: Tile; readonly bytes: Uint8Array | undefined }[];
  readonly stops: readonly { readonly stop: Stop<unknown>; readonly read: unknown }[];
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

/** Returns the hashes of entries, side by side: one piece of memory for a bundle, and none for each hash. */
function hashesOf(entries: readonly Uint8Array[]): Buffer {
  const hashes = Buffer.allocUnsafeSlow(entries.length * HASH_BYTES);
  for (const [at, entry] of entries.entries()) hashes.set(recordHash(entry), at * HASH_BYTES);
  return hashes;
}

/** Returns one of hashes that stand side by side. */
const hashAt = (hashes: Uint8Array, at: number): Uint8Array => hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);

const split = (hashes: Uint8Array): Uint8Array[] =>
  Array.from({ length: hashes.length / HASH_BYTES }, (_, at) => hashAt(hashes, at));

/** Returns the first position at which hashes differ from others, both side by side; -1 if they do not. */
const firstDifference = (one: Uint8Array, other: Uint8Array): number =>
  sameHash(one, other) ? -1 : split(one).findIndex((hash, at) => !sameHash(hash, hashAt(other, at)));

/**
 * Audits the tree of a log: the entry bundles have the hashes of the tiles of level 0, these those of level 1, and so on
 * up to the root. Every partial tile is the beginning of its full one.
 * @returns `root`: whether the root follows; `lost`: the number of entries that could not be read
 */
export async function auditTree(
  means: Means,
  from: TreeState,
): Promise<{ readonly root: boolean; readonly lost: number }> {
  const { files, size, root, listing, onEntry, report } = means;
  const tree = treeBuilder(
    from.subtrees.map(([height, hash]): Subtree => ({ height, hash: Buffer.from(hash, 'hex') })),
  );
  const levels: Uint8Array[][] = [[], ...from.levels.map((hashes) => split(Buffer.from(hashes, 'hex')))];
  let { lost } = from;

  const readPartials = (level: Tile['level'], index: number, width: number) =>
    Promise.all(
      [...partialsOf(listing, level, index)]
        .filter((partial) => partial.width < width)
        .map(async (tile) => ({ tile, bytes: await files.read(tilePath(tile)) })),
    );

  /** Returns the number of files that are read for a bundle. */
  const filesOf = ({ index, width }: Tile): number => {
    const partials = ['entries', 0] as const;
    const stops = means.stopsUntil(index * TILE_WIDTH, index * TILE_WIDTH + width);
    return 2 + stops.length + partials.flatMap((level) => [...partialsOf(listing, level, index)]).length;
  };

  const readBundleFiles = async (tile: Tile): Promise<Bundle> => {
    const { index, width } = tile;
    const stops = means.stopsUntil(index * TILE_WIDTH, index * TILE_WIDTH + width);
    const [entries, hashes, partialEntries, partialHashes, read] = await Promise.all([
      files.read(tilePath(tile)),
      files.read(tilePath({ level: 0, index, width })),
      readPartials('entries', index, width),
      readPartials(0, index, width),
      Promise.all(stops.map((stop) => stop.read())),
    ]);
    return {
      entries,
      hashes,
      partials: [...partialEntries, ...partialHashes],
      stops: stops.map((stop, at) => ({ stop, read: read[at] })),
    };
  };

  /** Compares a partial tile with the beginning of what it became. */
  const checkPartial = (tile: Tile, bytes: Uint8Array | undefined, whole: Uint8Array): void => {
    const path = tilePath(tile);
    if (!bytes) {
      report({ kind: 'file', path, problem: `${path} was listed, and is not there.` });
      return;
    }
    // An entry in a bundle takes as many bytes as every other one.
    const begins = sameHash(
      bytes,
      whole.subarray(0, tile.width * (tile.level === 'entries' ? BUNDLED_BYTES : HASH_BYTES)),
    );
    if (!begins)
      report({
        kind: tile.level === 'entries' ? 'bundle' : 'tile',
        path,
        problem: `${path} is not the beginning of the full one.`,
      });
  };

  /** Compares a tile above level 0 with the hashes that were computed. */
  const checkTile = async (tile: Tile, list: readonly Uint8Array[]): Promise<void> => {
    const path = tilePath(tile);
    const hashes = Buffer.concat(list);
    const [bytes, partials] = await Promise.all([files.read(path), readPartials(tile.level, tile.index, tile.width)]);
    for (const partial of partials) checkPartial(partial.tile, partial.bytes, hashes);
    if (!bytes) {
      report({ kind: 'tile', path, problem: `${path} is missing.` });
      return;
    }
    if (sameHash(bytes, hashes)) return;
    const at = bytes.length === hashes.length ? firstDifference(hashes, bytes) : undefined;
    const where =
      at === undefined ? `has ${bytes.length} bytes instead of ${hashes.length}` : `is wrong from hash ${at} on`;
    report({ kind: 'tile', path, problem: `${path} ${where}: it does not follow from the tiles below it.` });
  };

  /** Returns whether hashes lead to the tile above them, or at the right edge to the root. */
  const leadUp = async (tile: Tile, hashes: Uint8Array): Promise<boolean> => {
    if (tile.width < TILE_WIDTH) {
      const copy = treeBuilder(tree.subtrees());
      for (const hash of split(hashes)) copy.push(hash);
      return sameHash(copy.root(), root);
    }
    const bytes = await files.read(tilePath(tileOf(1, tile.index, size)));
    const start = (tile.index % TILE_WIDTH) * HASH_BYTES;
    return bytes !== undefined && sameHash(bytes.subarray(start, start + HASH_BYTES), treeHash(hashes));
  };

  /** Compares a bundle with its tile of level 0. @returns the entries as far as they are known, and the hashes */
  const settle = async (tile: Tile, bundle: Bundle) => {
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
        problem: `${path} holds another entry ${index} than the one that was logged.`,
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
      ? `${hashPath} has another hash for entry ${index} than ${path}.`
      : `${hashPath} and ${path} differ in entry ${index}, and neither leads to the root.`;
    report({ kind: 'tile', path: hashPath, index, problem });
    return { entries, hashes: computed };
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
  for await (const [tile, bundle] of readInOrder(bundlesFrom(entriesDone, size), READS, filesOf, readBundleFiles)) {
    const { entries, hashes } = await settle(tile, bundle);
    if (hashes) {
      for (const { tile: partial, bytes } of bundle.partials) {
        if (partial.level === 0) checkPartial(partial, bytes, hashes);
        else if (bundle.entries && entries?.every((entry) => entry !== undefined))
          checkPartial(partial, bytes, bundle.entries);
      }
    }
    const stops = [...bundle.stops];
    const checkStops = () => {
      while (stops[0]?.stop.size === entriesDone) {
        const { stop, read } = stops.shift() as (typeof stops)[number];
        stop.check(read, tree);
      }
    };
    checkStops();
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
      checkStops();
    }
    means.advance(tile.width);
    if (tile.width === TILE_WIDTH) means.keep(() => stateAfter(tile));
  }
  for (const level of levelsOf(size).slice(1)) {
    const hashes = levels[level] ?? [];
    if (hashes.length > 0) await checkTile(tileOf(level, hashesAt(level, size) - 1, size), hashes);
  }
  return { root: sameHash(tree.root(), root), lost };
}
