import { closeSync, constants, fsyncSync, ftruncateSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { lock } from '../../shell/files/lock.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { namingFile, syncFolder, writeFully } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type Line, parseResults, requireLine } from './resultFile.ts';

// Windows has no O_NOFOLLOW.
const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;

export type Step = Omit<Line, 'url' | 'accessKey' | 'uid' | 'at'>;

/** The result file of a folder, as far as it concerns one service. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

type Owner = Pick<Line, 'url' | 'accessKey' | 'uid'>;

/** Checks that all results are of this team: those of another would make its logs look stored. @throws Failure */
function requireOwner(path: string, lines: readonly Line[], { accessKey, uid }: Owner): void {
  const ownKeys = new Set([accessKey]);
  for (const line of lines) if (uid !== undefined && line.uid === uid) ownKeys.add(line.accessKey);
  const other = lines.find((line) => !ownKeys.has(line.accessKey));
  if (!other) return;
  const nameOf = (one: Pick<Line, 'accessKey' | 'uid'>) =>
    `${one.uid === undefined ? '' : `UID ${one.uid}, `}key ${one.accessKey}`;
  const message = `${path} has the results of ${nameOf(other)}; this run is for ${nameOf({ accessKey, uid })}.`;
  throw new Failure('usage', message, { advice: 'Use another result file: --results FILE.' });
}

/**
 * Reads a result file. A power cut can leave half a line: it is removed, and a whole one gets its line feed.
 * @throws Failure if it is not a result file; it then stays as it is
 */
async function repairResults(file: number, path: string): Promise<Line[]> {
  const { values, length, isOpen, isCutOff } = await parseResults(file, path);
  const lines = values.map((value, index) => requireLine(value, index + 1, path));
  if (isCutOff) ftruncateSync(file, length);
  if (isOpen) writeFully(path, file, Buffer.from('\n'));
  return lines;
}

/**
 * Opens a result file (JSON lines) for one run of a team. `add` returns when the line is on disk.
 * @param wait milliseconds to wait for another run to end
 * @throws Failure if another process uses it, if it is a link or no result file, or if it is of another team; it is
 * then unchanged
 */
export async function openJournal(path: string, owner: Owner, wait = 0) {
  const unlock = await lock(path, wait, { doing: 'uploading this folder', is: 'an upload' });
  let opened: number | undefined;
  try {
    // A link is not followed: its target can be any file of the user.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      const advice = 'Give the file itself: --results FILE.';
      throw new Failure('usage', `The result file ${path} is a link.`, { advice });
    }
    const descriptor = openRegularFile(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    opened = descriptor;
    // The file may be new: without its name on the disk, its lines would be lost.
    syncFolder(dirname(path));
    const { url, accessKey, uid } = owner;
    const own = (await repairResults(descriptor, path)).filter((line) => line.url === url);
    requireOwner(path, own, owner);
    const last = new Map(own.map((line) => [line.file, line]));
    return {
      last: (name: string): Step | undefined => last.get(name),
      add(step: Step): void {
        const { file, state, digest, ...rest } = step;
        const at = new Date().toISOString();
        const line: Line = { file, url, accessKey, uid, state, digest, ...rest, at };
        last.set(file, line);
        writeFully(path, descriptor, Buffer.from(`${JSON.stringify(line)}\n`));
        namingFile(path, () => fsyncSync(descriptor));
      },
      close(): void {
        closeSync(descriptor);
        unlock();
      },
    };
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    unlock();
    throw error;
  }
}

/** Creates a journal that is not on disk, for a log without a file. */
export function unwrittenJournal(): Journal {
  const steps = new Map<string, Step>();
  return { last: (file) => steps.get(file), add: (step) => steps.set(step.file, step), close: () => {} };
}
