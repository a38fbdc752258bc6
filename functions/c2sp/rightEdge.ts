import { EMPTY_ROOT, HASH_BYTES, leafHashOf, nodeHash, splitHashes, treeHash } from './hashing.ts';
import { bundledEntry, hashesAt, levelsOf, type ReadTile, TILE_WIDTH, type Tile, tilePath } from './tiles.ts';

/** The partial tiles at the right edge of a tree. Appending needs nothing else of the tree. */
export interface RightEdge {
  readonly size: number;
  /** By level, the hashes of its partial tile, side by side; empty if the level ends with a full tile. */
  readonly hashes: readonly Uint8Array[];
  /** The partial entry bundle; empty if the last bundle is full. */
  readonly bundle: Uint8Array;
}

export type TileFile = Readonly<{ path: string; bytes: Uint8Array }>;

export const EMPTY_EDGE: RightEdge = { size: 0, hashes: [], bundle: new Uint8Array() };

/** Returns the partial tiles of hashes of a tree by level, undefined for a level without, and the partial bundle. */
export function partialTiles(size: number): { hashes: (Tile | undefined)[]; bundle: Tile | undefined } {
  const partial = (level: number): Tile | undefined => {
    const count = hashesAt(level, size);
    const width = count % TILE_WIDTH;
    return width === 0 ? undefined : { level, index: Math.floor(count / TILE_WIDTH), width };
  };
  const hashes = levelsOf(size).map(partial);
  return { hashes, bundle: hashes[0] && { ...hashes[0], level: 'entries' } };
}

/** Reads the right edge of a tree. @param readTile its results are not verified: check the root against a checkpoint */
export async function readEdge(readTile: ReadTile, size: number): Promise<RightEdge> {
  const tiles = partialTiles(size);
  const read = (tile: Tile | undefined) => (tile ? readTile(tile) : new Uint8Array());
  const [bundle, ...hashes] = await Promise.all([tiles.bundle, ...tiles.hashes].map(read));
  return { size, hashes, bundle: bundle as Uint8Array };
}

/** Returns the root of a tree. Each tile's hashes are full subtrees, larger ones to the left of smaller ones. */
export function rootOfEdge({ hashes }: RightEdge): Buffer {
  let root: Buffer | undefined;
  for (const tile of hashes) {
    let end = tile.length / HASH_BYTES;
    for (let width = 1; end > 0; width *= 2) {
      if (Math.floor(end / width) % 2 === 0) continue;
      const subtree = treeHash(tile.subarray((end - width) * HASH_BYTES, end * HASH_BYTES));
      root = root ? nodeHash(subtree, root) : subtree;
      end -= width;
    }
  }
  return root ?? EMPTY_ROOT;
}

function cut(level: Tile['level'], parts: readonly Uint8Array[], first: number) {
  const files: TileFile[] = [];
  const full: Uint8Array[] = [];
  let index = Math.floor(first / TILE_WIDTH);
  let rest: Uint8Array = new Uint8Array();
  for (let start = 0; start < parts.length; start += TILE_WIDTH) {
    const tile = parts.slice(start, start + TILE_WIDTH);
    const bytes = Buffer.concat(tile);
    files.push({ path: tilePath({ level, index, width: tile.length }), bytes });
    if (tile.length === TILE_WIDTH) full.push(bytes);
    else rest = bytes;
    index += 1;
  }
  return { files, full, rest };
}

/** Appends leaf hashes to a tree, given its right edge. @returns as `appendEntries`, without the bundles */
export function appendHashes(
  edge: RightEdge,
  leafHashes: readonly Uint8Array[],
): { edge: RightEdge; files: TileFile[] } {
  const size = edge.size + leafHashes.length;
  const files: TileFile[] = [];
  const hashes: Uint8Array[] = [];
  let added = leafHashes;
  for (const level of levelsOf(size)) {
    const partial = edge.hashes[level] ?? new Uint8Array();
    if (added.length === 0) {
      hashes.push(partial);
      continue;
    }
    const tiles = cut(level, [...splitHashes(partial), ...added], hashesAt(level, edge.size));
    files.push(...tiles.files);
    hashes.push(tiles.rest);
    added = tiles.full.map(treeHash);
  }
  return { edge: { ...edge, size, hashes }, files };
}

/**
 * Appends entries, at most 65 535 bytes each, to a tree, given its right edge. @returns the edge of the larger tree,
 * and its new tiles and bundles. A partial tile that grew is a new file, because its width is part of its path.
 */
export function appendEntries(edge: RightEdge, entries: readonly Uint8Array[]): { edge: RightEdge; files: TileFile[] } {
  if (entries.length === 0) return { edge, files: [] };
  const kept = edge.size % TILE_WIDTH;
  const bundles = cut(
    'entries',
    // The entries of the partial bundle stay in one piece, in the place of the first; the others are empty.
    [...(kept ? [edge.bundle, ...Array(kept - 1).fill(new Uint8Array())] : []), ...entries.map(bundledEntry)],
    edge.size,
  );
  const grown = appendHashes(edge, entries.map(leafHashOf));
  return { edge: { ...grown.edge, bundle: bundles.rest }, files: [...bundles.files, ...grown.files] };
}
