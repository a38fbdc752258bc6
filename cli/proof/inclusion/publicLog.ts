import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { HASH_BYTES, leafHashOf } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { readBundle, TILE_WIDTH, type Tile, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { isAnnounced } from '../../../functions/tlog/entryHash.ts';
import type { Hint } from '../../../functions/tlog/hints.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { bundlesAround, entryFinder, type ReadEntries } from './entryFinder.ts';
import { CHECKPOINT_BYTES, hintReader, publicationFinder } from './publication.ts';
import type { PublicFiles, ReadPublic } from './publicFiles.ts';

const BUNDLE_BYTES = TILE_WIDTH * (2 + HASH_BYTES);
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The most entry bundles in which one entry is searched: half a million entries, 18 MB. */
const SEARCH_BUNDLES = 2048;

/** The days before the time of an entry whose hints are read. The log can have stood still for longer. */
const HINT_DAYS = 3;
const DAY_MS = 86_400_000;

/** The days whose hints are read to tell what came since a look. */
const HINT_DAYS_BACK = 31;

interface Wanted {
  readonly entryHash: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly deadline: number;
}

async function require(read: ReadPublic, path: string, limit: number): Promise<Buffer> {
  const file = await read(path, limit);
  if (!file) throw new Error(`The transparency log has no ${path}.`);
  return file.bytes;
}

/** Creates a reader of the entries of a checkpoint, which are verified against its root, and one of its tree. */
function verifiedReader(read: ReadPublic, checkpoint: Checkpoint) {
  const { size, root } = checkpoint;
  const bundles = new Map<number, Promise<Buffer[]>>();
  const entriesOf = (bundle: Tile): Promise<Buffer[]> => {
    const path = tilePath({ ...bundle, level: 'entries' });
    const entries =
      bundles.get(bundle.index) ?? require(read, path, BUNDLE_BYTES).then((bytes) => readBundle(bytes, bundle.width));
    bundles.set(bundle.index, entries);
    return entries;
  };
  // The hashes of level 0 follow from the entries, so the tiles of that level are not read.
  const tree = treeReader(async (tile) => {
    if (tile.level !== 0) return require(read, tilePath(tile), TILE_BYTES);
    return Buffer.concat((await entriesOf(tile)).map(leafHashOf));
  }, size);
  // The proof of the first entry of a bundle has the hashes of all.
  const readEntries: ReadEntries = async (bundle) => {
    const entries = await entriesOf(bundle);
    const index = bundle.index * TILE_WIDTH;
    const leafHash = leafHashOf(entries[0] as Buffer);
    if (verifyInclusion(await tree.inclusionProof(index), { index, size, leafHash, root })) return entries;
    throw new Error(`The entries from index ${index} on do not belong to the checkpoint of size ${size}.`);
  };
  return { finder: entryFinder(checkpoint, readEntries), readEntries, tree };
}

/**
 * A transparency log that anyone reads over HTTP. What it says is verified, except hints, which only help to search.
 */
export type PublicLog = Awaited<ReturnType<typeof openFiles>>;

/**
 * Reads the newest checkpoint of a public log, and checks its signature.
 * @throws Failure if the log cannot be read, or if the policy does not trust its checkpoint
 */
export async function openFiles({ url, read }: PublicFiles, policy: Policy) {
  const file = await read(CHECKPOINT, CHECKPOINT_BYTES);
  if (!file) throw new Failure('unreachable', `There is no transparency log at ${url}.`, { advice: 'Check the URL.' });
  const signed = file.bytes.toString();
  let checkpoint: OpenedCheckpoint;
  try {
    checkpoint = openCheckpoint(signed, policy);
  } catch (cause) {
    const message = `The checkpoint at ${url} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'Check the URL, and that the policy is up to date.' });
  }
  const { size } = checkpoint;
  const { storedAt } = file;
  let reader = verifiedReader(read, checkpoint);
  const hintsOf = hintReader(read, checkpoint);
  const newest = { ...checkpoint, signed, storedAt };
  const publicationOf = publicationFinder(newest, policy, { read, hintsOf, tree: () => reader.tree });
  /** Returns the hints of the days of an entry, in the order of time, from one before it on if there is any. */
  const hintsAround = async ({ receivedAt, deadline }: Wanted) => {
    let hints = await hintsOf(receivedAt);
    for (let back = 1; back <= HINT_DAYS && !hints.some(({ cursor }) => cursor <= receivedAt); back += 1) {
      hints = [...(await hintsOf(receivedAt - back * DAY_MS)), ...hints];
    }
    const isNextDay = Math.floor(deadline / DAY_MS) > Math.floor(receivedAt / DAY_MS);
    return isNextDay ? [...hints, ...(await hintsOf(deadline))] : hints;
  };

  return {
    url,
    checkpoint,
    /** The checkpoint with its signatures, verbatim, and the time at which it was stored. */
    signed,
    storedAt,
    /** Returns when an entry came into the log, see `publicationFinder`. */
    publicationOf,

    /** Returns a reader of the tree of this checkpoint. Its results are not verified: check them against the root. */
    tree: () => treeReader((tile) => require(read, tilePath(tile), TILE_BYTES), size),

    /**
     * Returns the hints of the checkpoints after a size, smallest first, from the newest day back.
     * @param since a size that the log had
     */
    async hintsSince(since: number): Promise<Hint[]> {
      let hints: Hint[] = [];
      for (let back = 0; back <= HINT_DAYS_BACK && !hints.some((hint) => hint.from <= since); back += 1) {
        hints = [...(await hintsOf(Date.now() - back * DAY_MS)), ...hints];
      }
      return hints.filter((hint) => hint.size > since).sort((one, other) => one.size - other.size);
    },

    /** Returns true if the leaves between two indexes are keys and retentions, which nobody has uploaded. */
    async hasOnlyAnnounced(from: number, until: number): Promise<boolean> {
      const start = Math.floor(from / TILE_WIDTH) * TILE_WIDTH;
      if (until > Math.min(size, start + TILE_WIDTH)) return false;
      const width = Math.min(TILE_WIDTH, size - start);
      const entries = await reader.readEntries({ level: 'entries', index: start / TILE_WIDTH, width });
      return entries.slice(from - start, until - start).every(isAnnounced);
    },

    /**
     * Searches an entry: first where the hints say, then everywhere, up to `SEARCH_BUNDLES`.
     * @returns `index` in the log; or undefined, and whether it was searched wherever it should be (`isAbsent`), and
     * in the whole log (`isWhole`)
     * @throws Failure if the log cannot be read; Error if it has wrong bytes
     */
    async find(wanted: Wanted) {
      const { entryHash, receivedAt, deadline } = wanted;
      const hints = await hintsAround(wanted);
      const { inTurn, after, before } = bundlesAround(hints, { receivedAt, by: deadline }, size);
      // What was read for other entries is kept, but not without a limit.
      if (reader.finder.loaded() > SEARCH_BUNDLES) reader = verifiedReader(read, checkpoint);
      let left = SEARCH_BUNDLES;
      let index: number | undefined;
      for (const [first, end] of [inTurn, after, before]) {
        const last = Math.min(end, first + left);
        index ??= await reader.finder.find(entryHash, [first, last]);
        left -= last - first;
      }
      const isAbsent = inTurn[1] - inTurn[0] <= SEARCH_BUNDLES;
      const isWhole = size <= SEARCH_BUNDLES * TILE_WIDTH;
      return { index, isAbsent, isWhole };
    },
  };
}
