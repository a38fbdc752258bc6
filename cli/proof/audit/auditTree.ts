import { pMapIterable } from 'p-map';
import { HASH_BYTES, leafHashOf, sameHash, splitHashes, treeHash } from '../../../functions/c2sp/hashing.ts';
import { appendHashes, EMPTY_EDGE, type RightEdge, rootOfEdge } from '../../../functions/c2sp/rightEdge.ts';
import { bundlesFrom, readBundle, TILE_WIDTH, type Tile, tileOf, tilePath } from '../../../functions/c2sp/tiles.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import type { Report } from './findings.ts';
import type { FileCheck } from './listFiles.ts';

const READ_AHEAD = 32;

/** A check of a file at a number of leaves, with what was read of it. */
export interface ReadCheck extends FileCheck {
  readonly bytes: Uint8Array | undefined;
}

export interface GrownTree {
  readonly edge: RightEdge;
  readonly root: Uint8Array;
  /** The bundle at the right edge, as it is in the newest tree; undefined if not all of it was logged. */
  readonly bundle: Uint8Array | undefined;
}

interface Context {
  readonly files: Pick<TlogFiles, 'read'>;
  readonly size: number;
  readonly root: Uint8Array;
  /** What is checked while the tree grows, in the order of the positions. */
  readonly checks: AsyncIterable<FileCheck>;
  /** Checks a file when the tree has as many leaves as its position. */
  readonly check: (check: ReadCheck, tree: GrownTree) => Promise<void>;
  /** Takes the entries of a bundle; undefined: an entry is missing. @param first the index of the first one */
  readonly onEntries: (entries: readonly (Uint8Array | undefined)[], first: number) => Promise<void>;
  readonly report: Report;
}

/** Returns the 32-byte entries of a bundle; undefined if it is missing or not whole. */
function entriesOf(bytes: Uint8Array | undefined, width: number): Buffer[] | undefined {
  const entries = bytes && orUndefined(() => readBundle(bytes, width));
  return entries?.every(({ length }) => length === HASH_BYTES) ? entries : undefined;
}

/**
 * Audits the tree of a log: the entry bundles have the hashes of the tiles of level 0, these those of level 1, and so
 * on up to the root. Memory does not grow with the log.
 * @returns `root`: true if the root follows; `lost`: the number of entries that could not be read
 */
export async function auditTree({ files, size, root, checks, check, onEntries, report }: Context) {
  let edge = EMPTY_EDGE;
  let lost = 0;

  /** Returns true if the hashes of a bundle lead to the tile above it, or at the right edge to the root. */
  const leadUp = async ({ index, width }: Tile, hashes: readonly Uint8Array[]): Promise<boolean> => {
    if (width < TILE_WIDTH) return sameHash(rootOfEdge(appendHashes(edge, hashes).edge), root);
    const above = await files.read(tilePath(tileOf(1, index, size)));
    const start = (index % TILE_WIDTH) * HASH_BYTES;
    return above !== undefined && sameHash(above.subarray(start, start + HASH_BYTES), treeHash(Buffer.concat(hashes)));
  };

  /** Compares a bundle with its tile of level 0. @returns the entries that were logged, and the hashes */
  const openBundle = async (tile: Tile, bundle: Uint8Array | undefined, tileBytes: Uint8Array | undefined) => {
    const { width } = tile;
    const path = tilePath(tile);
    const hashPath = tilePath({ ...tile, level: 0 });
    const entries = entriesOf(bundle, width);
    const computed = entries?.map(leafHashOf);
    const stored = tileBytes?.length === width * HASH_BYTES ? splitHashes(tileBytes) : undefined;
    if (!entries) {
      const problem = bundle ? `does not hold ${width} entries of 32 bytes` : 'is missing';
      report({ kind: 'bundle', path, problem: `${path} ${problem}.` });
    }
    if (!stored) {
      const problem = tileBytes ? `does not hold ${width} hashes` : 'is missing';
      report({ kind: 'tile', path: hashPath, problem: `${hashPath} ${problem}.` });
    }
    if (!computed || !stored) return { entries, hashes: computed ?? stored };
    const isSame = computed.map((one, at) => sameHash(one, stored[at] as Uint8Array));
    if (!isSame.includes(false)) return { entries, hashes: computed };

    const index = tile.index * TILE_WIDTH + isSame.indexOf(false);
    if (await leadUp(tile, stored)) {
      report({ kind: 'bundle', path, index, problem: `Entry ${index} in ${path} is not the entry that was logged.` });
      return { entries: entries?.map((entry, at) => (isSame[at] ? entry : undefined)), hashes: stored };
    }
    const problem = (await leadUp(tile, computed))
      ? `The hash of entry ${index} in ${hashPath} is not that of the entry in ${path}.`
      : `${hashPath} and ${path} differ in entry ${index}, and neither leads to the root.`;
    report({ kind: 'tile', path: hashPath, index, problem });
    return { entries, hashes: computed };
  };

  /** Adds hashes, and compares the tiles above level 0 that are full by them. */
  const grow = async (hashes: readonly Uint8Array[]): Promise<void> => {
    const grown = appendHashes(edge, hashes);
    edge = grown.edge;
    for (const { path, bytes } of grown.files) {
      if (path.startsWith('tile/0/') || path.includes('.p/')) continue;
      const stored = await files.read(path);
      const problem = stored ? 'does not follow from the tiles below it' : 'is missing';
      if (!stored || !sameHash(stored, bytes)) report({ kind: 'tile', path, problem: `${path} ${problem}.` });
    }
  };

  const readCheck = async (one: FileCheck): Promise<ReadCheck> => {
    return { ...one, bytes: one.check === 'previous' ? undefined : await files.read(one.path) };
  };
  const pending = pMapIterable(checks, readCheck, { concurrency: READ_AHEAD })[Symbol.asyncIterator]();
  let next = await pending.next();
  const runChecks = async (bundle?: Uint8Array): Promise<void> => {
    if (next.done || next.value.position !== edge.size) return;
    const tree = { edge, root: rootOfEdge(edge), bundle };
    for (; !next.done && next.value.position === edge.size; next = await pending.next()) await check(next.value, tree);
  };

  await runChecks();
  const readFiles = async (tile: Tile) =>
    [tile, await files.read(tilePath(tile)), await files.read(tilePath({ ...tile, level: 0 }))] as const;
  const tiles = pMapIterable(bundlesFrom(0, size), readFiles, { concurrency: READ_AHEAD });
  for await (const [tile, bundle, tileBytes] of tiles) {
    const { entries, hashes } = await openBundle(tile, bundle, tileBytes);
    // Neither file is there: no root from here on can be computed.
    if (!hashes) return { root: false, lost: lost + size - edge.size };
    const missing = entries ? entries.filter((entry) => entry === undefined).length : tile.width;
    lost += missing;
    await onEntries(entries ?? [], edge.size);
    for (let done = 0; done < hashes.length; ) {
      const end = next.done ? hashes.length : next.value.position - tile.index * TILE_WIDTH;
      const part = hashes.slice(done, end);
      await grow(part);
      done += part.length;
      await runChecks(missing === 0 ? bundle : undefined);
    }
  }
  return { root: sameHash(rootOfEdge(edge), root), lost };
}
