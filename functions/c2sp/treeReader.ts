import { HASH_BYTES, nodeHash, splitOf, treeHash } from './hashing.ts';
import { consistencyRanges, inclusionRanges, type LeafRange } from './proofs.ts';
import { type ReadTile, TILE_WIDTH, type Tile, tileOf } from './tiles.ts';

/** Computes hashes and proofs of a tree from its tiles, which are not verified: check them against a checkpoint. */
export function treeReader(readTile: ReadTile, size: number) {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const read = (tile: Tile): Promise<Uint8Array> => {
    const name = `${tile.level} ${tile.index}`;
    const known = tiles.get(name);
    if (known) return known;
    // 8 MB.
    if (tiles.size >= 1024) tiles.clear();
    const reading = readTile(tile).then((bytes) => requireLength(bytes, tile));
    tiles.set(name, reading);
    return reading;
  };

  /** A subtree of 2^height leaves, the `position`-th of its height. All of it is inside one tile. */
  const fullSubtree = async (height: number, position: number): Promise<Buffer> => {
    const level = Math.floor(height / 8);
    const hashes = 2 ** (height % 8);
    const tile = tileOf(level, position * hashes, size);
    const start = ((position * hashes) % TILE_WIDTH) * HASH_BYTES;
    return treeHash((await read(tile)).subarray(start, start + hashes * HASH_BYTES));
  };

  const hashOf = async ([start, end]: LeafRange): Promise<Buffer> => {
    const height = Math.log2(end - start);
    if (Number.isInteger(height)) return fullSubtree(height, start / (end - start));
    const middle = start + splitOf(end - start);
    return nodeHash(await hashOf([start, middle]), await hashOf([middle, end]));
  };

  return {
    rootOf: (leaves: number): Promise<Buffer> => hashOf([0, leaves]),

    /** Returns the inclusion proof of a leaf in this tree, as `verifyInclusion` takes it. */
    inclusionProof: (index: number): Promise<Buffer[]> => Promise.all(inclusionRanges(index, size).map(hashOf)),

    /** Returns the proof that this tree begins with its first `from` leaves, as `verifyConsistency` takes it. */
    consistencyProof: (from: number): Promise<Buffer[]> => Promise.all(consistencyRanges(from, size).map(hashOf)),
  };
}

function requireLength(bytes: Uint8Array, { level, index, width }: Tile): Uint8Array {
  if (bytes.length === width * HASH_BYTES) return bytes;
  throw new Error(`Tile ${index} of level ${level} has ${bytes.length} bytes instead of ${width * HASH_BYTES}.`);
}
