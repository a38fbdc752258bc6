import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { HASH_BYTES } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { bundlesFrom, hashesAt, levelsOf, TILE_WIDTH, tileOf, tilePath } from '../../../functions/c2sp/tiles.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import { replaceFile } from '../../shell/files/write.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { UNFINISHED } from '../../store/targets/tlogFiles.ts';
import { contradictionOf, keepCheckpoint, openGrownLog, openKept } from './followLog.ts';
import { publicFiles, type ReadPublic } from './publicFiles.ts';

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
  mkdirSync(dirname(target), { recursive: true });
  replaceFile(target, bytes);
  return true;
}

/**
 * Copies the newest checkpoint of a public log and all files of its tree into a folder. Only a checkpoint is ever
 * replaced, at the end, and only by one that continues it: so the tree of the checkpoint in the folder is always whole,
 * and a copy that was interrupted goes on where it stopped. Until its end, its checkpoint is unfinished.
 * @returns `before`: the size of the copy before; `copied`, `kept`: the numbers of files besides the checkpoint
 * @throws Failure if the log cannot be read or trusted, or if the folder has files of another log
 */
export async function copyLog(terminal: Surroundings, given: string, folder: string, policy: Policy) {
  const { signal } = terminal;
  const checkpointFile = join(folder, CHECKPOINT);
  const newFile = join(folder, UNFINISHED, CHECKPOINT);
  const open = (path: string) => openKept(path, policy, 'Give the policy of this log, or another folder.');
  const kept = [checkpointFile, newFile].filter((path) => existsSync(path)).map(open);
  if (kept.length === 0 && existsSync(join(folder, 'tile'))) {
    throw new Failure('usage', `${folder} has files of a log, and no checkpoint.`, { advice: 'Give another folder.' });
  }
  const source = publicFiles(given, signal);
  const log = await openGrownLog(source, policy, kept, signal);
  const { url, checkpoint, signed } = log;
  const contradiction = await contradictionOf(log, kept).catch((cause: Error) => {
    if (cause instanceof Failure) throw cause;
    const advice = 'Nothing was copied. Try again, and tell the organisers if it stays so.';
    throw new Failure('negative', cause.message, { cause, advice });
  });
  if (contradiction) {
    const { one, why } = contradiction;
    throw new Failure('negative', `${url} does not continue ${one.path}: ${why}.`, {
      advice: `Nothing was copied. Keep ${one.path} and ${keepCheckpoint(`${folder}-`, log)}, and show both to the organisers and other teams.`,
    });
  }
  mkdirSync(dirname(newFile), { recursive: true });
  replaceFile(newFile, signed);

  const files = [...filesOfTree(checkpoint.size)];
  const doing = `copying ${url}`;
  const progress = terminal.progress(files.length, doing);
  let failure: unknown;
  /** After a failure, it copies no more, but what is being copied is brought to its end. */
  const copy = async (file: (typeof files)[number]) => {
    if (failure !== undefined) return false;
    try {
      return await copyFile(source.read, folder, file);
    } catch (error) {
      failure ??= error;
      return false;
    } finally {
      progress.advance(1, doing);
    }
  };
  const results = await pMap(files, copy, { concurrency: READS });
  if (failure !== undefined) throw failure;
  renameSync(newFile, checkpointFile);
  progress.stop(`${files.length} files of the log are in the folder`);
  const copied = results.filter(Boolean).length;
  const before = kept.find(({ path }) => path === checkpointFile)?.size;
  return { url, size: checkpoint.size, before, copied, kept: files.length - copied };
}
