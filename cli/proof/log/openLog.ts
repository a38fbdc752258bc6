import { parseCheckpoint } from '../../../functions/c2sp/checkpoint.ts';
import { leafHashOf, sameHash } from '../../../functions/c2sp/hashing.ts';
import { parseNote } from '../../../functions/c2sp/note.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { type ReadTile, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import type { VerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { type Commit, parseCommit } from '../../../functions/tlog/commit.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, commitPath, receiptKeyPath } from '../../../functions/tlog/paths.ts';
import { type CertifiedReceiptKey, openReceiptKey } from '../../../functions/tlog/receiptKeyNote.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type LogFiles, notALog } from './publicFiles.ts';

export type OpenLog = Awaited<ReturnType<typeof openLog>>;

/** The files of a log contradict each other, or what signed them. */
const contradicts = (location: string, problem: string): Failure =>
  new Failure('negative', `The transparency log in ${location} contradicts itself: ${problem}`, {
    advice: 'Keep what you have of it, and tell the organisers. ailog tlog audit names what was changed.',
  });

/** Reads a checkpoint. @throws Failure `unreachable` if it is none, `negative` if the policy does not trust it */
export function readCheckpoint(bytes: Uint8Array, policy: Policy, location: string, path: string = CHECKPOINT) {
  const signed = Buffer.from(bytes).toString();
  try {
    parseCheckpoint(parseNote(signed).text);
  } catch (cause) {
    throw notALog(location, `${path} is no checkpoint`, cause);
  }
  try {
    return { ...openCheckpoint(signed, policy), signed };
  } catch (cause) {
    throw new Failure('negative', `The ${path} in ${location} cannot be trusted: ${(cause as Error).message}`, {
      cause,
      advice: 'Check the place, and that the policy is that of this log. If they are right, tell the organisers.',
    });
  }
}

/**
 * Reads the notes about receipt keys. @param keys the checkpoint keys that are trusted
 * @returns the keys in their order, and a sentence for each note that cannot be trusted
 */
export async function readReceiptKeys({ read }: LogFiles, origin: string, keys: readonly VerifierKey[]) {
  const certified: CertifiedReceiptKey[] = [];
  const problems: string[] = [];
  for (let k = 1; ; k += 1) {
    const path = receiptKeyPath(k);
    const bytes = await read(path);
    if (!bytes) return { certified, problems };
    try {
      const one = openReceiptKey(Buffer.from(bytes).toString(), keys);
      if (one.k !== k || one.origin !== origin) throw new Error(`It is about key ${one.k} of ${one.origin}.`);
      certified.push(one);
    } catch (error) {
      problems.push(`${path} cannot be trusted: ${(error as Error).message}`);
    }
  }
}

/** Reads a commit of a log; undefined if there is none. @throws Failure if it is not one of this log and number */
export async function readCommit({ location, read }: LogFiles, origin: string, n: number): Promise<Commit | undefined> {
  const bytes = await read(commitPath(n));
  if (!bytes) return undefined;
  let commit: Commit;
  try {
    commit = parseCommit(Buffer.from(bytes).toString(), commitPath(n));
  } catch (cause) {
    throw notALog(location, (cause as Error).message.replace(/\.$/, ''), cause);
  }
  if (commit.n === n && commit.origin === origin) return commit;
  throw contradicts(location, `${commitPath(n)} is commit ${commit.n} of ${commit.origin}.`);
}

/** Returns the newest commit that a checkpoint of a size has: the last one whose tree is not larger. */
async function newestCommit(read: (n: number) => Promise<Commit | undefined>, size: number) {
  const within = async (n: number) => {
    const commit = await read(n);
    return commit && commit.to.size <= size ? commit : undefined;
  };
  let low = await within(1);
  if (!low) return undefined;
  let step = 1;
  for (let next = await within(low.n + step); next; next = await within(low.n + step)) {
    low = next;
    step *= 2;
  }
  // The last commit is at or after `low`, and before the first number without a commit.
  for (step = Math.floor(step / 2); step >= 1; step = Math.floor(step / 2)) low = (await within(low.n + step)) ?? low;
  return low;
}

/** The most entries of the commits that are kept: those of a look-up, and of look-ups near it. */
const KEPT_ENTRIES = 2_000_000;

/**
 * Opens a log at its newest checkpoint. Commits and proofs are read when they are needed.
 * @param origin the name that the log must have; undefined: any of the policy
 * @throws Failure see `readCheckpoint`
 */
export async function openLog(files: LogFiles, policy: Policy, origin?: string, keptEntries = KEPT_ENTRIES) {
  const { location } = files;
  const bytes = await files.read(CHECKPOINT);
  if (!bytes) throw notALog(location, 'it has no checkpoint');
  const checkpoint = readCheckpoint(bytes, policy, location);
  if (origin !== undefined && checkpoint.origin !== origin)
    throw contradicts(location, `its checkpoint is of another log, ${checkpoint.origin}.`);
  const { size, root } = checkpoint;

  const commits = new Map<number, Promise<Commit | undefined>>();
  let kept = 0;
  const readNew = async (n: number) => {
    const commit = await readCommit(files, checkpoint.origin, n);
    kept += commit?.entries.length ?? 0;
    return commit;
  };
  const read = (n: number): Promise<Commit | undefined> => {
    const known = commits.get(n);
    if (known) return known;
    if (kept > keptEntries) {
      commits.clear();
      kept = 0;
    }
    const reading = readNew(n);
    commits.set(n, reading);
    return reading;
  };
  const readTile: ReadTile = async (tile) => {
    const file = await files.read(tilePath(tile));
    if (file) return file;
    throw contradicts(location, `it has no ${tilePath(tile)}.`);
  };
  const tree = treeReader(readTile, size);
  let newest: Promise<Commit> | undefined;
  const findNewest = async (): Promise<Commit> => {
    const commit = await newestCommit(read, size);
    if (commit?.to.size === size && sameHash(commit.to.root, root)) return commit;
    throw contradicts(location, `no commit has the tree of its checkpoint, of size ${size}.`);
  };

  return {
    policy,
    /** With its verbatim text, `signed`. */
    checkpoint,
    readTile,

    /** @throws Failure if there is no commit of this number */
    async commit(n: number): Promise<Commit> {
      const commit = await read(n);
      if (commit) return commit;
      throw contradicts(location, `it has no ${commitPath(n)}.`);
    },

    newest(): Promise<Commit> {
      newest ??= findNewest();
      return newest;
    },

    /** Returns the inclusion proof of an entry hash, verified. @throws Failure if the tiles do not prove it */
    async prove(entryHash: Uint8Array, index: number): Promise<Buffer[]> {
      const proof = index < size ? await tree.inclusionProof(index) : [];
      const leafHash = leafHashOf(entryHash);
      if (index < size && verifyInclusion(proof, { index, size, leafHash, root })) return proof;
      const problem = `its tiles do not prove the entry at index ${index} in its checkpoint of size ${size}.`;
      throw contradicts(location, problem);
    },
  };
}
