import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { HASH_BYTES, leafHashOf } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { readBundle, TILE_WIDTH, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, cosignedPath, hintsPath } from '../../../functions/tlog/paths.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { publicFiles, type ReadPublic } from './publicFiles.ts';

/** The most bytes of a file: a checkpoint with 100 signatures of 4 KB, and a day of hints with a line a minute. */
const CHECKPOINT_BYTES = 512 * 1024;
const HINTS_BYTES = 64 * 1024;
const BUNDLE_BYTES = TILE_WIDTH * (2 + HASH_BYTES);
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The most entry bundles in which one entry is searched: half a million entries, 18 MB. */
const SEARCH_BUNDLES = 2048;

const READS = 16;

/** The days before the time of an entry whose hints are read. The log can have stood still for longer. */
const HINT_DAYS = 3;
const DAY_MS = 86_400_000;

/** Cosigned checkpoints after an entry that are asked for. */
const COSIGNED_TRIES = 6;

/** The part of a receipt that says where its entry must be. */
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

/** Reads entries of the tree of a checkpoint. What it has read is verified against the root. */
function openTree(read: ReadPublic, { size, root }: Checkpoint) {
  const indexes = new Map<string, number>();
  const bundles = new Map<number, Promise<Buffer[]>>();
  const entriesOf = (index: number): Promise<Buffer[]> => {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const path = tilePath({ level: 'entries', index, width });
    const entries = bundles.get(index) ?? require(read, path, BUNDLE_BYTES).then((bytes) => readBundle(bytes, width));
    bundles.set(index, entries);
    return entries;
  };
  // The hashes of level 0 follow from the entries, so the tiles of that level are not read.
  const reader = treeReader(async (tile) => {
    if (tile.level !== 0) return require(read, tilePath(tile), TILE_BYTES);
    return Buffer.concat((await entriesOf(tile.index)).map(leafHashOf));
  }, size);
  const loaded = new Set<number>();
  return {
    loaded,
    indexOf: (entryHash: Uint8Array): number | undefined => indexes.get(Buffer.from(entryHash).toString('latin1')),
    /** Reads an entry bundle. The proof of its first entry has the hashes of all. @throws Error if bytes are wrong */
    async load(bundle: number): Promise<void> {
      if (loaded.has(bundle)) return;
      const [entries, index] = [await entriesOf(bundle), bundle * TILE_WIDTH];
      const leafHash = leafHashOf(entries[0] as Buffer);
      if (!verifyInclusion(await reader.inclusionProof(index), { index, size, leafHash, root })) {
        throw new Error(`The entries from index ${index} on do not belong to the checkpoint of size ${size}.`);
      }
      for (const [offset, entry] of entries.entries()) indexes.set(entry.toString('latin1'), index + offset);
      loaded.add(bundle);
    },
  };
}

/** Reads the lines of hints. They are not signed, so a line that makes no sense is left out. */
export const parseHints = (text: string, size: number) =>
  [...text.matchAll(/^(\d{4}-\d\d-\d\dT\d\d:\d\dZ) (\d{1,15})$/gm)]
    .map(([, minute = '', leaves]) => ({ time: Date.parse(minute), size: Number(leaves) }))
    .filter((hint) => hint.size <= size && !Number.isNaN(hint.time));

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
  let tree = openTree(read, checkpoint);

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
    for (let back = 1; back <= HINT_DAYS && !hints.some(({ time }) => time <= receivedAt); back += 1) {
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
      const all = Math.ceil(size / TILE_WIDTH);
      const first = Math.floor((hints.findLast(({ time }) => time <= receivedAt)?.size ?? 0) / TILE_WIDTH);
      const last = Math.ceil((hints.find(({ time }) => time > deadline)?.size ?? size) / TILE_WIDTH);
      const bundles = Array.from({ length: all }, (_, bundle) => bundle);
      const hinted = bundles.slice(first, last);
      const rest = [...bundles.slice(last), ...bundles.slice(0, first)];
      // What was read for other entries is kept, but not without a limit.
      if (tree.loaded.size > SEARCH_BUNDLES) tree = openTree(read, checkpoint);
      for (const part of [hinted, rest.slice(0, Math.max(0, SEARCH_BUNDLES - hinted.length))]) {
        for (let at = 0; at < Math.min(part.length, SEARCH_BUNDLES); at += READS) {
          if (tree.indexOf(entryHash) !== undefined) break;
          // Of several wrong bundles, always the first is named.
          const loads = await Promise.allSettled(part.slice(at, at + READS).map(tree.load));
          for (const load of loads) if (load.status === 'rejected') throw load.reason;
        }
      }
      const index = tree.indexOf(entryHash);
      const before = index === undefined ? undefined : hints.find((hint) => hint.size > index)?.time;
      return { index, before, isAbsent: hinted.length <= SEARCH_BUNDLES, isWhole: all <= SEARCH_BUNDLES };
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
        const smaller = openTree(read, opened);
        await smaller.load(Math.floor(index / TILE_WIDTH));
        if (smaller.indexOf(wanted.entryHash) === index) return opened;
      }
      return checkpoint;
    },
  };
}
