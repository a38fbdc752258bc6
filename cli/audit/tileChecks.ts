import { HASH_BYTES, sameHash } from '../../functions/c2sp/hashing.ts';
import { type Tile, tilePath } from '../../functions/c2sp/tiles.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import type { Finding } from './findings.ts';
import { firstDifference } from './hashLists.ts';
import { type Listing, partialsOf } from './listing.ts';

/** The length of an entry in a bundle: its length in two bytes, and a hash. */
const BUNDLED_BYTES = 2 + HASH_BYTES;

/** A partial tile or bundle, with its bytes; undefined if it is not there. */
export interface PartialFile {
  readonly tile: Tile;
  readonly bytes: Uint8Array | undefined;
}

/** Returns the checks of the tiles of a log. They report each file that does not follow from the entries. */
export function tileChecks({
  files,
  listing,
  report,
}: {
  files: TlogFiles;
  listing: Listing;
  report: (finding: Finding) => void;
}) {
  /** Reads the partial tiles that became a tile. */
  const readPartials = (level: Tile['level'], index: number, width: number): Promise<PartialFile[]> =>
    Promise.all(
      [...partialsOf(listing, level, index)]
        .filter((partial) => partial.width < width)
        .map(async (tile) => ({ tile, bytes: await files.read(tilePath(tile)) })),
    );

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

  return { readPartials, checkPartial, checkTile };
}
