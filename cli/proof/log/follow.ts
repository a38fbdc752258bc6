import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { EMPTY_ROOT, sameHash } from '../../../functions/c2sp/hashing.ts';
import { parseNote } from '../../../functions/c2sp/note.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { readEdge, type TileFile } from '../../../functions/c2sp/rightEdge.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { type Commit, formatCommit, type Tree } from '../../../functions/tlog/commit.ts';
import { CHECKPOINT, checkpointPath, commitPath, receiptKeyPath } from '../../../functions/tlog/paths.ts';
import { parseReceiptKey } from '../../../functions/tlog/receiptKeyNote.ts';
import { readWhole } from '../../shell/files/readWhole.ts';
import { makeFolder, replaceFile } from '../../shell/files/write.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { folderFiles, TLOG_FILE_BYTES } from '../../store/targets/tlogFiles.ts';
import { type GrownLog, growBy, isSameTree, lastTiles, NO_LOG } from './growBy.ts';
import { openLog, readCheckpoint, readCommit } from './openLog.ts';
import { type LogFiles, notALog } from './publicFiles.ts';

/** The age of the newest commit from which on the log stands still. An idle log commits every ten minutes. */
const STALE_MS = 20 * 60_000;

/** The commits that are copied in one step, with which a copy goes on after an interruption. */
const STEP = 64;

const READS = 16;

class Contradiction extends Error {}

export type Look = Awaited<ReturnType<typeof follow>>;

type Copy = GrownLog & { readonly rootAt: (size: number) => Promise<Uint8Array> };

/** Opens what was copied before. @throws Failure if the folder has another log, or is damaged */
async function openCopy(folder: string, policy: Policy): Promise<Copy> {
  if (!existsSync(join(folder, CHECKPOINT))) return { ...NO_LOG, rootAt: async () => EMPTY_ROOT };
  try {
    const copy = await openLog(folderFiles(folder), policy);
    const { size, root } = copy.checkpoint;
    const edge = await readEdge(copy.readTile, size);
    const tree = treeReader(copy.readTile, size);
    const rootAt = async (leaves: number) => (leaves === 0 ? EMPTY_ROOT : tree.rootOf(leaves));
    if (!sameHash(await rootAt(size), root)) throw new Error('its tiles do not lead to its checkpoint.');
    return { edge, tree: copy.checkpoint, last: await copy.newest(), rootAt };
  } catch (cause) {
    throw new Failure('usage', `The copy in ${folder} cannot be continued: ${(cause as Error).message}`, {
      cause,
      advice: 'Give the policy of this log, or another folder. Nothing was changed.',
    });
  }
}

/** Stores a file of the copy in one step. @throws Contradiction if the copy has the file with other bytes */
function keep(folder: string, path: string, bytes: Uint8Array): void {
  const target = join(folder, path);
  if (!existsSync(target)) {
    makeFolder(dirname(target), folder);
    replaceFile(target, bytes);
  } else if (!sameHash(readWhole(target, TLOG_FILE_BYTES), bytes)) {
    throw new Contradiction(`${path} is another one than that in ${folder}`);
  }
}

/** Reads a file of the log whose content follows from its commits. @throws Contradiction if it has another content */
async function readSame({ location, read }: LogFiles, { path, bytes }: TileFile) {
  const found = await read(path);
  if (!found) throw notALog(location, `it has no ${path}`);
  if (found.length !== bytes.length) throw notALog(location, `${path} has ${found.length} of ${bytes.length} bytes`);
  if (!sameHash(found, bytes)) throw new Contradiction(`${path} does not follow from the commits`);
}

/** Copies the next commits of a log with their checkpoints and tiles. @returns the copy with them, and their number */
async function copyStep(
  source: LogFiles,
  folder: string,
  copy: Copy,
  newest: Tree & { origin: string },
  policy: Policy,
) {
  const first = (copy.last?.n ?? 0) + 1;
  const numbers = Array.from({ length: STEP }, (_, at) => first + at);
  const readOne = async (n: number) => {
    const commit = await readCommit(source, newest.origin, n);
    return { commit, signed: commit && (await source.read(checkpointPath(n))) };
  };
  let grown: GrownLog = copy;
  const tiles = new Map<string, TileFile>();
  const kept: (readonly [commit: Commit, signed: Uint8Array])[] = [];
  for (const { commit, signed } of await pMap(numbers, readOne, { concurrency: READS })) {
    // The last commit may not be published yet.
    if (!commit || !signed || commit.to.size > newest.size) break;
    const path = checkpointPath(commit.n);
    const checkpoint = readCheckpoint(signed, policy, source.location, path);
    if (checkpoint.origin !== newest.origin || !isSameTree(checkpoint, commit.to))
      throw new Contradiction(`${path} has another tree than ${commitPath(commit.n)}`);
    try {
      const { files, ...next } = growBy(grown, commit);
      for (const file of files) tiles.set(file.path, file);
      grown = next;
    } catch (cause) {
      throw new Contradiction((cause as Error).message, { cause });
    }
    kept.push([commit, signed]);
  }
  const signed = kept.at(-1)?.[1];
  if (!signed) return { copy, count: 0 };
  // Of partial tiles, only those of the last tree are kept.
  const isLast = lastTiles(grown.tree.size);
  const files = [...tiles.values()].filter(({ path }) => isLast(path));
  await pMap(files, (file) => readSame(source, file), { concurrency: READS });
  for (const { path, bytes } of files) keep(folder, path, bytes);
  for (const [commit, checkpoint] of kept) {
    keep(folder, checkpointPath(commit.n), checkpoint);
    keep(folder, commitPath(commit.n), Buffer.from(formatCommit(commit)));
  }
  // From here on, the copy is whole at this commit.
  replaceFile(join(folder, CHECKPOINT), signed);
  return { copy: { ...copy, ...grown }, count: kept.length };
}

/** Copies the notes about receipt keys. @throws Contradiction if one is another than that in the copy */
async function copyReceiptKeys({ location, read }: LogFiles, folder: string, origin: string): Promise<void> {
  for (let k = 1; ; k += 1) {
    const path = receiptKeyPath(k);
    const note = await read(path);
    if (!note) return;
    const certified = orUndefined(() => parseReceiptKey(parseNote(Buffer.from(note).toString()).text));
    if (certified?.k !== k || certified.origin !== origin) throw notALog(location, `${path} is no note about its key`);
    keep(folder, path, note);
  }
}

/**
 * Looks at a public log, copies what is new into a folder, and checks that it continues what was copied before. A
 * checkpoint that the copy begins with is stale, as a cache may answer. The folder is whole at each point; nothing in
 * it is overwritten but `checkpoint`.
 * @returns the entries in the copy, how many are new, when the newest commit was decided, and `problems` that
 * contradict nothing
 * @throws Failure `unreachable` if the log does not answer, or not as a log; `negative` if it contradicts the copy
 */
export async function follow(terminal: Surroundings, source: LogFiles, folder: string, policy: Policy) {
  const { location } = source;
  makeFolder(folder);
  let copy = await openCopy(folder, policy);
  const before = copy.tree.size;
  const bytes = await source.read(CHECKPOINT);
  if (!bytes) throw notALog(location, 'it has no checkpoint');
  const newest = readCheckpoint(bytes, policy, location);
  const problems: string[] = [];
  const progress = terminal.progress(undefined, `reading ${location}`);
  try {
    const { last } = copy;
    if (last && last.origin !== newest.origin)
      throw new Contradiction(`it is the log ${newest.origin}, and was ${last.origin}`);
    if (newest.size <= before) {
      if (!sameHash(await copy.rootAt(newest.size), newest.root))
        throw new Contradiction(`it has another root at size ${newest.size} than before`);
      if (newest.size < before)
        problems.push(`it answers with an older checkpoint, of ${newest.size} entries; the copy has ${before}`);
    }
    for (let count = STEP; count === STEP && newest.size >= before; ) {
      ({ copy, count } = await copyStep(source, folder, copy, newest, policy));
      progress.advance(count, `${copy.tree.size} entries copied`);
      await pause(terminal.signal);
    }
    if (newest.size === copy.tree.size && !sameHash(newest.root, copy.tree.root))
      throw new Contradiction(`its checkpoint of size ${newest.size} has another root than its commits`);
    if (newest.size > copy.tree.size)
      problems.push(`its commits come only to ${copy.tree.size} entries; its checkpoint has ${newest.size}`);
    await copyReceiptKeys(source, folder, newest.origin);
  } catch (cause) {
    if (!(cause instanceof Contradiction)) throw cause;
    const kept = `contradiction-${newest.size}-${hash('sha256', bytes).slice(0, 16)}`;
    keep(folder, kept, bytes);
    throw new Failure('negative', `CONTRADICTION: ${location} does not continue ${folder}: ${cause.message}.`, {
      cause,
      advice: `Keep the folder, which has the checkpoint of now as ${kept}. Show it to the organisers and to other teams.`,
    });
  } finally {
    progress.stop(`${copy.tree.size} entries copied`);
  }
  const { last, tree } = copy;
  const age = last && Date.now() - last.time;
  if (age !== undefined && age > STALE_MS) problems.push(`its newest commit is ${formatDuration(age)} old`);
  if (!newest.quorum) problems.push('too few witnesses cosigned its checkpoint');
  return {
    url: location,
    size: tree.size,
    added: tree.size - before,
    committedAt: last ? new Date(last.time).toISOString() : null,
    problems,
  };
}
