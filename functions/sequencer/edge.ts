import { readBundle } from '../c2sp/entryBundle.ts';
import { HASH_BYTES, leafHashOf, sameHash } from '../c2sp/hashing.ts';
import { partialTiles, type RightEdge, rootOfEdge } from '../c2sp/rightEdge.ts';
import { type Tile, tilePath } from '../c2sp/tiles.ts';
import { FatalTlogError } from './fatal.ts';
import { requireFile, type TlogStorage } from './storage.ts';

/**
 * Reads the right edge of the tree from its tiles, and checks it against the root and the entries.
 * @throws FatalTlogError if a tile is missing or was changed
 */
export async function readEdge(
  storage: TlogStorage,
  { size, root }: { size: number; root: Uint8Array },
  abortSignal: AbortSignal,
): Promise<RightEdge> {
  const read = async (tile: Tile | undefined): Promise<Uint8Array> =>
    tile ? requireFile(storage, tilePath(tile), abortSignal) : new Uint8Array();
  const tiles = partialTiles(size);
  const [bundle, ...hashes] = await Promise.all([read(tiles.bundle), ...tiles.hashes.map(read)]);
  const edge = { size, hashes, bundle };
  const whole = hashes.every((tile, level) => tile.length === (tiles.hashes[level]?.width ?? 0) * HASH_BYTES);
  if (!whole || !sameHash(rootOfEdge(edge), root)) {
    throw new FatalTlogError('root-differs', `The root of the log at size ${size} does not follow from its tiles.`);
  }
  if (tiles.bundle && !holdsEntriesOf(bundle, hashes[0] as Uint8Array)) {
    throw new FatalTlogError('root-differs', `${tilePath(tiles.bundle)} holds other entries than its tile of hashes.`);
  }
  return edge;
}

/** Returns true if a bundle contains the entries with these hashes. */
function holdsEntriesOf(bundle: Uint8Array, hashes: Uint8Array): boolean {
  try {
    const entries = readBundle(bundle, hashes.length / HASH_BYTES);
    return sameHash(Buffer.concat(entries.map(leafHashOf)), hashes);
  } catch {
    return false;
  }
}
