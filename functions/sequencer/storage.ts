import pMap from 'p-map';
import { HASH_BYTES, leafHashOf, sameHash } from '../c2sp/hashing.ts';
import { partialTiles, type RightEdge, readEdge, rootOfEdge } from '../c2sp/rightEdge.ts';
import { bundlesFrom, readBundle, TILE_WIDTH, type Tile, tilePath } from '../c2sp/tiles.ts';
import { FatalError } from './fatalError.ts';

const READS = 32;

export interface StoredFile {
  readonly bytes: Uint8Array;
  /** Identifies this version of the file. */
  readonly etag: string;
}

/** Stores the files of one log. A write is durable when the call returns, and every later read sees it. */
export interface TlogStorage {
  /** Returns a file; undefined if there is none. */
  get(path: string, abortSignal: AbortSignal): Promise<StoredFile | undefined>;
  /** Creates a file and never overwrites one. If the file exists, returns whether its bytes are the same. */
  create(path: string, bytes: Uint8Array, abortSignal: AbortSignal): Promise<'created' | 'same' | 'different'>;
  /** Replaces the version `etag` of a file; undefined: creates it. @returns false if it has changed, and is kept */
  replace(path: string, bytes: Uint8Array, etag: string | undefined, abortSignal: AbortSignal): Promise<boolean>;
}

/** Reads a file that must exist. @throws FatalError if it does not */
export async function requireFile(storage: TlogStorage, path: string, abortSignal: AbortSignal): Promise<Uint8Array> {
  const file = await storage.get(path, abortSignal);
  if (!file) throw new FatalError('file-missing', `The log has no ${path}.`);
  return file.bytes;
}

/** Creates a file, or accepts an existing one with the same bytes. @throws FatalError if the bytes differ */
export async function createFile(
  storage: TlogStorage,
  { path, bytes }: { path: string; bytes: Uint8Array },
  abortSignal: AbortSignal,
): Promise<void> {
  const result = await storage.create(path, bytes, abortSignal);
  if (result === 'different') throw new FatalError('file-differs', `${path} exists with other bytes.`);
}

/**
 * Reads the right edge of the tree from its tiles, and checks it against the root and the entries.
 * @throws FatalError if a tile is missing or was changed
 */
export async function readVerifiedEdge(
  storage: TlogStorage,
  { size, root }: { size: number; root: Uint8Array },
  abortSignal: AbortSignal,
): Promise<RightEdge> {
  const edge = await readEdge((tile) => requireFile(storage, tilePath(tile), abortSignal), size);
  const { hashes, bundle } = edge;
  const tiles = partialTiles(size);
  const whole = hashes.every((tile, level) => tile.length === (tiles.hashes[level]?.width ?? 0) * HASH_BYTES);
  if (!whole || !sameHash(rootOfEdge(edge), root)) {
    throw new FatalError('root-differs', `The root of the log at size ${size} does not follow from its tiles.`);
  }
  const leafHashes = tiles.bundle && Buffer.concat(entriesOf(bundle, tiles.bundle).map(leafHashOf));
  if (tiles.bundle && leafHashes && !sameHash(leafHashes, hashes[0] as Uint8Array)) {
    throw new FatalError('root-differs', `${tilePath(tiles.bundle)} does not have the entries of its tile of hashes.`);
  }
  return edge;
}

/** Returns the entries of a bundle. @throws FatalError if it was changed so that it is none */
function entriesOf(bytes: Uint8Array, bundle: Tile): Buffer[] {
  try {
    return readBundle(bytes, bundle.width);
  } catch (error) {
    throw new FatalError('root-differs', `${tilePath(bundle)} is not a bundle. ${(error as Error).message}`);
  }
}

/**
 * Reads the entry hashes from an index up to another, and those beside them in the same bundles, as latin1 text.
 * @param size of the log
 */
export async function readEntryHashes(
  storage: TlogStorage,
  { from, until, size }: { from: number; until: number; size: number },
  abortSignal: AbortSignal,
): Promise<Set<string>> {
  const entryHashes = new Set<string>();
  const read = async (bundle: Tile) => {
    const bytes = await requireFile(storage, tilePath(bundle), abortSignal);
    for (const entryHash of entriesOf(bytes, bundle)) entryHashes.add(entryHash.toString('latin1'));
  };
  const bundles = Math.max(0, Math.ceil(until / TILE_WIDTH) - Math.floor(from / TILE_WIDTH));
  await pMap(bundlesFrom(from, size).take(bundles), read, { concurrency: READS });
  return entryHashes;
}
