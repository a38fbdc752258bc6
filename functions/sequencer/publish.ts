import pMap from 'p-map';
import { formatCheckpoint } from '../c2sp/checkpoint.ts';
import { sameHash } from '../c2sp/hashing.ts';
import { parseNote, signNote } from '../c2sp/note.ts';
import { appendEntries, rootOfEdge, type TileFile } from '../c2sp/rightEdge.ts';
import { tilePath } from '../c2sp/tiles.ts';
import { treeReader } from '../c2sp/treeReader.ts';
import { openCheckpoint } from '../tlog/openCheckpoint.ts';
import { CHECKPOINT, checkpointPath, stagingPath } from '../tlog/paths.ts';
import type { Head } from '../tlog/tlogTable.ts';
import type { Dependencies } from './dependencies.ts';
import { readEdge } from './edge.ts';
import { FatalTlogError } from './fatal.ts';
import { createFile, requireFile, type StoredFile, type TlogStorage } from './storage.ts';
import { requestCosignatures } from './witnesses.ts';

/** The log at one moment: the claimed head, and the newest checkpoint; undefined: nothing was published yet. */
export interface OpenTlog {
  readonly head: Head;
  readonly checkpoint: StoredFile | undefined;
}

/** Concurrent writes. */
const WRITES = 16;

/** The length of a log entry in bytes. */
const LEAF_BYTES = 32;

/** Computes the files of a claimed head from its staged entries and the tree before them. */
async function stagedFiles(storage: TlogStorage, head: Head, abortSignal: AbortSignal): Promise<TileFile[]> {
  const edge = await readEdge(storage, { size: head.fromSize, root: head.fromRoot }, abortSignal);
  const staged = await requireFile(storage, stagingPath(head), abortSignal);
  const entries = Array.from({ length: staged.length / LEAF_BYTES }, (_, index) =>
    staged.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES),
  );
  const appended = appendEntries(edge, entries);
  if (appended.edge.size === head.size && sameHash(rootOfEdge(appended.edge), head.root)) return appended.files;
  const message = `The root of the claimed head of size ${head.size} does not follow from its staged entries.`;
  throw new FatalTlogError('root-differs', message);
}

/**
 * Signs the checkpoint of a head whose tiles are stored, stores it at its permanent path, has it cosigned, and makes it
 * the newest one.
 * @returns undefined if another sequencer published a checkpoint meanwhile
 * @throws FatalTlogError if another checkpoint of this size exists
 */
export async function publishCheckpoint(
  { origin, storage, signers, witnesses, witnessTimeout: timeout }: Dependencies,
  { head, checkpoint }: OpenTlog,
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const claimed = { origin, size: head.size, root: head.root };
  const text = formatCheckpoint(claimed);
  const signed = await signNote(text, await signers(abortSignal), abortSignal);
  const path = checkpointPath(head.size);
  if ((await storage.create(path, Buffer.from(signed), abortSignal)) === 'different') {
    // Before a rotation, other keys signed the same checkpoint.
    const kept = Buffer.from(await requireFile(storage, path, abortSignal)).toString();
    if (parseNote(kept).text !== text) throw new FatalTlogError('file-differs', `${path} is another checkpoint.`);
  }

  const reader = treeReader((tile) => requireFile(storage, tilePath(tile), abortSignal), head.size);
  const { consistencyProof } = reader;
  const submission = { checkpoint: claimed, signed, fromSize: head.fromSize, timeout, consistencyProof };
  const { cosigned } = witnesses ? await requestCosignatures(witnesses, submission, abortSignal) : { cosigned: signed };
  const bytes = Buffer.from(cosigned);
  const etag = checkpoint?.etag;
  if (!(await storage.replace(CHECKPOINT, bytes, etag, abortSignal))) return undefined;
  return { head, checkpoint: await storage.get(CHECKPOINT, abortSignal) };
}

/**
 * Publishes a claimed head: its tiles, then its checkpoint. Files that an earlier run or another sequencer stored are
 * kept.
 * @param log the head, and the checkpoint before it
 * @param files its tiles and bundles; undefined: they are computed from the staged entries
 * @returns undefined if another sequencer published a checkpoint meanwhile
 * @throws FatalTlogError if a file exists with other bytes, or the staged entries do not match the head
 */
export async function publish(
  dependencies: Dependencies,
  log: OpenTlog,
  files: readonly TileFile[] | undefined,
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const { storage } = dependencies;
  const wanted = files ?? (await stagedFiles(storage, log.head, abortSignal));
  await pMap(wanted, (file) => createFile(storage, file, abortSignal), { concurrency: WRITES });
  return publishCheckpoint(dependencies, log, abortSignal);
}

/** Returns true if the published checkpoint has the quorum of cosignatures. */
export async function hasQuorum(
  { signers, witnesses }: Dependencies,
  { checkpoint }: OpenTlog,
  abortSignal: AbortSignal,
): Promise<boolean> {
  if (!witnesses || !checkpoint) return true;
  const logs = (await signers(abortSignal)).map(({ key }) => ({ key }));
  try {
    return openCheckpoint(Buffer.from(checkpoint.bytes).toString(), { ...witnesses, logs }).quorum;
  } catch {
    // Signed before a key rotation, or damaged: it is signed and cosigned again.
    return false;
  }
}
