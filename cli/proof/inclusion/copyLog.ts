import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { HASH_BYTES } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { bundlesFrom, hashesAt, levelsOf, TILE_WIDTH, tileOf, tilePath } from '../../../functions/c2sp/tiles.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import { namingFile, replaceFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { contradictionOf, openKept } from './followLog.ts';
import { publicFiles, type ReadPublic } from './publicFiles.ts';
import { openPublicLog } from './publicLog.ts';

const READS = 16;

/**
 * Yields the entry bundles and tiles of a tree, with their lengths in bytes, which follow from its size: with its
 * checkpoint, all that an audit of the log needs.
 */
function* filesOfTree(size: number) {
  for (const bundle of bundlesFrom(0, size)) {
    yield { path: tilePath(bundle), length: bundle.width * (2 + HASH_BYTES) };
  }
  for (const level of levelsOf(size)) {
    for (let position = 0; position < hashesAt(level, size); position += TILE_WIDTH) {
      const tile = tileOf(level, position, size);
      yield { path: tilePath(tile), length: tile.width * HASH_BYTES };
    }
  }
}

const isWrong = (path: string, problem: string, advice: string) =>
  new Failure('negative', `${path} is not a file of this log: ${problem}.`, { advice });

/** Copies a file, in one step. A file that is there is kept. @returns false if it was there */
async function copyFile(
  read: ReadPublic,
  folder: string,
  { path, length }: { path: string; length: number },
): Promise<boolean> {
  const target = join(folder, path);
  if (existsSync(target)) {
    const { size } = statSync(target);
    if (size === length) return false;
    throw isWrong(target, `it has ${size} bytes instead of ${length}`, 'Nothing was overwritten. Give another folder.');
  }
  const bytes = (await read(path, length))?.bytes;
  if (bytes?.length !== length) {
    const problem = bytes ? `it has ${bytes.length} bytes instead of ${length}` : 'the log does not have it';
    throw isWrong(path, problem, 'Keep what was copied, and tell the organisers.');
  }
  const own = `${target}.new`;
  mkdirSync(dirname(target), { recursive: true });
  try {
    namingFile(target, () => writeFileSync(own, bytes));
    renameSync(own, target);
  } catch (error) {
    // The disk may be full.
    rmSync(own, { force: true });
    throw error;
  }
  return true;
}

/**
 * Copies the newest checkpoint of a public log and all files of its tree into a folder. Only a checkpoint is ever
 * replaced, at the end, and only by one that continues it: so the tree of the checkpoint in the folder is always whole,
 * and a copy that was interrupted goes on where it stopped.
 * @returns `before`: the size of the copy before; `copied`, `kept`: the numbers of files besides the checkpoint
 * @throws Failure if the log cannot be read or trusted, or if the folder has files of another log
 */
export async function copyLog(terminal: Terminal, given: string, folder: string, policy: Policy) {
  const { signal } = terminal;
  const checkpointFile = join(folder, CHECKPOINT);
  const kept = existsSync(checkpointFile)
    ? openKept(checkpointFile, policy, 'Give the policy of this log, or another folder.')
    : undefined;
  const log = await openPublicLog(given, policy, signal);
  const { url, checkpoint, signed } = log;
  const advice = 'Nothing was copied. Keep both checkpoints, and show them to the organisers and other teams.';
  const contradiction = await contradictionOf(log, kept ? [kept] : []).catch((cause: Error) => {
    throw cause instanceof Failure ? cause : new Failure('negative', cause.message, { cause, advice });
  });
  if (contradiction) {
    throw new Failure('negative', `${url} does not continue ${contradiction.one.path}: ${contradiction.why}.`, {
      advice,
    });
  }

  const { read } = publicFiles(url, signal);
  const files = [...filesOfTree(checkpoint.size)];
  const doing = `copying ${url}`;
  const progress = terminal.progress(files.length, doing);
  let failure: unknown;
  /** After a failure, it copies no more, but what is being copied is brought to its end. */
  const copy = async (file: (typeof files)[number]) => {
    if (failure !== undefined) return false;
    try {
      return await copyFile(read, folder, file);
    } catch (error) {
      failure ??= error;
      return false;
    } finally {
      progress.advance(1, doing);
    }
  };
  const results = await pMap(files, copy, { concurrency: READS });
  if (failure !== undefined) throw failure;
  mkdirSync(folder, { recursive: true });
  replaceFile(checkpointFile, signed);
  progress.stop(`${files.length} files of the log are in the folder`);
  const copied = results.filter(Boolean).length;
  return { url, size: checkpoint.size, before: kept?.size, copied, kept: files.length - copied };
}
