import { HASH_BYTES, leafHashOf, sameHash } from '../c2sp/hashing.ts';
import { partialTiles, type RightEdge, readEdge, rootOfEdge } from '../c2sp/rightEdge.ts';
import { readBundle, tilePath } from '../c2sp/tiles.ts';
import type { Tree } from '../tlog/commit.ts';
import { FatalError } from './fatalError.ts';

export interface StoredFile {
  readonly bytes: Uint8Array;
  /** Identifies this version of the file. */
  readonly etag: string;
}

/** Stores the files of one log. A write is durable when the call returns, and every later read sees it. */
export interface TlogStorage {
  get(path: string, abortSignal: AbortSignal): Promise<StoredFile | undefined>;
  /** Creates a file and never overwrites one. If the file exists, returns whether its bytes are the same. */
  create(path: string, bytes: Uint8Array, abortSignal: AbortSignal): Promise<'created' | 'same' | 'different'>;
  /** Replaces the version `etag` of a file; undefined: creates it. @returns false if it has changed, and is kept */
  replace(path: string, bytes: Uint8Array, etag: string | undefined, abortSignal: AbortSignal): Promise<boolean>;
  /** Returns the paths that begin with a prefix and sort after another path, sorted. */
  list(prefix: string, after: string, abortSignal: AbortSignal): Promise<string[]>;
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

/** Reads the right edge of a tree, and checks it. @throws FatalError if a tile is missing or was changed */
export async function readVerifiedEdge(
  storage: TlogStorage,
  { size, root }: Tree,
  abortSignal: AbortSignal,
): Promise<RightEdge> {
  const differs = (what: string) => new FatalError('root-differs', what);
  const edge = await readEdge(async (tile) => {
    const file = await storage.get(tilePath(tile), abortSignal);
    if (!file) throw differs(`The log has no ${tilePath(tile)}.`);
    return file.bytes;
  }, size);
  const { hashes, bundle } = edge;
  const tiles = partialTiles(size);
  const whole = hashes.every((tile, level) => tile.length === (tiles.hashes[level]?.width ?? 0) * HASH_BYTES);
  if (!whole || !sameHash(rootOfEdge(edge), root))
    throw differs(`The root of the log at size ${size} does not follow from its tiles.`);
  if (!tiles.bundle) return edge;
  const path = tilePath(tiles.bundle);
  let leafHashes: Buffer;
  try {
    leafHashes = Buffer.concat(readBundle(bundle, tiles.bundle.width).map(leafHashOf));
  } catch (error) {
    throw differs(`${path} is not a bundle. ${(error as Error).message}`);
  }
  if (!hashes[0] || !sameHash(leafHashes, hashes[0]))
    throw differs(`${path} does not have the entries of its tile of hashes.`);
  return edge;
}
