import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { HASH_BYTES, leafHashOf, sameHash } from '../../../functions/c2sp/hashing.ts';
import { type Policy, quorumReached } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { readBundle, TILE_WIDTH, type Tile, tileOf, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, cosignedPath, hintsPath } from '../../../functions/tlog/paths.ts';
import type { Mark } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { bundlesAround, entryFinder, type ReadEntries } from './entryFinder.ts';
import { publicFiles, type ReadPublic } from './publicFiles.ts';

/** The most bytes of a file: a checkpoint with 100 signatures of 4 KB, and a day of hints with a line a minute. */
const CHECKPOINT_BYTES = 512 * 1024;
const HINTS_BYTES = 64 * 1024;
const BUNDLE_BYTES = TILE_WIDTH * (2 + HASH_BYTES);
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The most entry bundles in which one entry is searched: half a million entries, 18 MB. */
const SEARCH_BUNDLES = 2048;

/** The days before the time of an entry whose hints are read. The log can have stood still for longer. */
const HINT_DAYS = 3;
const DAY_MS = 86_400_000;

const COSIGNED_TRIES = 6;

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

/** Creates a reader of the entries of a checkpoint. They are verified against its root. */
function verifiedEntries(read: ReadPublic, { size, root }: Checkpoint): ReadEntries {
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
  return async (bundle) => {
    const entries = await entriesOf(bundle);
    const index = bundle.index * TILE_WIDTH;
    const leafHash = leafHashOf(entries[0] as Buffer);
    if (verifyInclusion(await tree.inclusionProof(index), { index, size, leafHash, root })) return entries;
    throw new Error(`The entries from index ${index} on do not belong to the checkpoint of size ${size}.`);
  };
}

/**
 * Returns the latest time, in milliseconds since 1970, from which on the quorum of witnesses has cosigned a checkpoint:
 * one witness alone, whose clock may be wrong, makes no checkpoint newer. Undefined if the quorum is missed or does not
 * say when, or if the policy requires none.
 */
export function quorumTime({ cosigned }: OpenedCheckpoint, policy: Policy): number | undefined {
  if (policy.quorum === 'none') return undefined;
  const since = (time: number) => new Set([...cosigned.keys()].filter((name) => (cosigned.get(name) ?? 0) >= time));
  const times = [...cosigned.values()].sort((one, other) => other - one);
  const reached = times.find((time) => quorumReached(policy, since(time)));
  return reached ? reached * 1000 : undefined;
}

/** Reads the lines of hints. They are not signed, so a line that makes no sense is left out. */
export const parseHints = (text: string, size: number): Mark[] =>
  [...text.matchAll(/^(\d{4}-\d\d-\d\dT\d\d:\d\dZ) (\d{1,15})$/gm)]
    .map(([, minute = '', leaves]) => ({ cursor: Date.parse(minute), size: Number(leaves) }))
    .filter((hint) => hint.size <= size && !Number.isNaN(hint.cursor));

/**
 * A transparency log that anyone reads over HTTP. What it says is verified, except hints, which only help to search.
 */
export type PublicLog = Awaited<ReturnType<typeof openPublicLog>>;

/**
 * Reads the newest checkpoint of a public log, and checks its signature.
 * @throws Failure if the log cannot be read, or if the policy does not trust its checkpoint
 */
export async function openPublicLog(given: string, policy: Policy, signal: AbortSignal) {
  const { url, read } = publicFiles(given, signal);
  const open = ({ bytes }: { bytes: Buffer }): OpenedCheckpoint => openCheckpoint(bytes.toString(), policy);
  const file = await read(CHECKPOINT, CHECKPOINT_BYTES);
  if (!file) throw new Failure('unreachable', `There is no transparency log at ${url}.`, { advice: 'Check the URL.' });
  let checkpoint: OpenedCheckpoint;
  try {
    checkpoint = open(file);
  } catch (cause) {
    const message = `The checkpoint at ${url} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'Check the URL, and that the policy is up to date.' });
  }
  const { size } = checkpoint;
  const openFinder = () => entryFinder(checkpoint, verifiedEntries(read, checkpoint));
  let finder = openFinder();

  const days = new Map<string, ReturnType<ReadPublic>>();
  const hintsOf = async (time: number) => {
    const path = hintsPath(new Date(time).toISOString().slice(0, 10));
    const day = days.get(path) ?? read(path, HINTS_BYTES);
    days.set(path, day);
    return parseHints((await day)?.bytes.toString() ?? '', size);
  };
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
    signed: file.bytes.toString(),
    storedAt: file.storedAt,

    /** Returns a reader of the tree of this checkpoint. Its results are not verified: check them against the root. */
    tree: () => treeReader((tile) => require(read, tilePath(tile), TILE_BYTES), size),

    /**
     * Searches an entry: first where the hints say, then everywhere, up to `SEARCH_BUNDLES`.
     * @returns `index` in the log; or undefined, and whether it was searched wherever it should be (`isAbsent`), and
     * in the whole log (`isWhole`). `before`: a time by which it was in the log, as the hints say.
     * @throws Failure if the log cannot be read; Error if it has wrong bytes
     */
    async find(wanted: Wanted) {
      const { entryHash, receivedAt, deadline } = wanted;
      const hints = await hintsAround(wanted);
      const { inTurn, after, before } = bundlesAround(hints, { receivedAt, by: deadline }, size);
      // What was read for other entries is kept, but not without a limit.
      if (finder.loaded() > SEARCH_BUNDLES) finder = openFinder();
      let left = SEARCH_BUNDLES;
      let index: number | undefined;
      for (const [first, end] of [inTurn, after, before]) {
        const last = Math.min(end, first + left);
        index ??= await finder.find(entryHash, [first, last]);
        left -= last - first;
      }
      const isAbsent = inTurn[1] - inTurn[0] <= SEARCH_BUNDLES;
      const isWhole = size <= SEARCH_BUNDLES * TILE_WIDTH;
      return { index, before: hints.find((hint) => hint.size > (index ?? size))?.cursor, isAbsent, isWhole };
    },

    /**
     * Returns the first checkpoint over an entry that is found to have the quorum of witnesses, for the times of its
     * cosignatures; without one, the newest checkpoint.
     */
    async cosignedOver(wanted: Wanted, index: number): Promise<OpenedCheckpoint> {
      const hints = policy.quorum === 'none' ? [] : await hintsAround(wanted);
      const sizes = new Set(hints.map((hint) => hint.size).filter((one) => one > index));
      for (const one of [...sizes].slice(0, COSIGNED_TRIES)) {
        const cosigned = await read(cosignedPath(one), CHECKPOINT_BYTES);
        const opened = cosigned && open(cosigned);
        if (!opened?.quorum || opened.size !== one || opened.origin !== checkpoint.origin) continue;
        const bundle = tileOf(0, index, opened.size);
        const entries = await verifiedEntries(read, opened)({ ...bundle, level: 'entries' });
        if (sameHash(entries[index % TILE_WIDTH] as Buffer, wanted.entryHash)) return opened;
      }
      return checkpoint;
    },
  };
}
