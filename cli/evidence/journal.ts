import { closeSync, constants, fsyncSync, ftruncateSync, lstatSync } from 'node:fs';
import { lock } from '../files/lock.ts';
import { openRegularFile } from '../files/openRegularFile.ts';
import { namingFile, writeFully } from '../files/write.ts';
import { Failure } from '../terminal/failure.ts';
import { isHalfLine, type Line, parseLine, parseResults, requireLine } from './resultFile.ts';

// Windows has no O_NOFOLLOW.
const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;

/** The result file of a folder, as far as it concerns one service. */
export interface Journal {
  readonly last: (file: string) => Line | undefined;
  readonly add: (line: Omit<Line, 'url' | 'accessKey' | 'uid' | 'at'>) => void;
  readonly close: () => void;
}

interface Owner extends Pick<Line, 'url' | 'accessKey'> {
  readonly uid?: string | undefined;
  /** Other access keys of the same team. */
  readonly earlierKeys: readonly string[];
}

/**
 * Checks that all results for a service are those of this team. The results of another team would make its logs look
 * stored.
 * @throws Failure that names the other team
 */
function requireOwner(path: string, lines: readonly Line[], { accessKey, uid, earlierKeys }: Owner): void {
  const ownKeys = new Set([accessKey, ...earlierKeys]);
  for (const line of lines) if (uid !== undefined && line.uid === uid) ownKeys.add(line.accessKey);
  const other = lines.find((line) => !ownKeys.has(line.accessKey));
  if (!other) return;
  const nameOf = (one: Pick<Line, 'accessKey' | 'uid'>) =>
    `${one.uid === undefined ? '' : `UID ${one.uid}, `}key ${one.accessKey}`;
  const isOtherTeam = uid !== undefined && other.uid !== undefined;
  throw new Failure(
    'usage',
    `${path} has the results of ${nameOf(other)}; this run is for ${nameOf({ accessKey, ...(uid !== undefined && { uid }) })}.`,
    {
      advice: `Use another result file: --results FILE.${isOtherTeam ? '' : ` If both keys belong to the same team: --earlier-key ${other.accessKey}`}`,
    },
  );
}

/** Opens a result file, or creates it. A link is not followed: its target can be any file of the user. */
function openResultFile(path: string): number {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Failure('usage', `The result file ${path} is a link.`, {
      advice: 'Give the file itself: --results FILE.',
    });
  }
  return openRegularFile(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
}

/**
 * Reads the lines of a result file, and repairs its end: a power cut can leave half a line. Half a line is removed, and
 * a whole one gets its line feed. Any other file stays as it is.
 * @throws Failure if it is not a result file
 */
function repairResults(file: number, path: string): Line[] {
  const { lines: values, length, rest } = parseResults(file, path);
  const lines = values.map((value, index) => requireLine(value, { number: index + 1, path }));
  if (rest === '') return lines;
  if (isHalfLine(rest, lines.length > 0)) {
    ftruncateSync(file, length);
    return lines;
  }
  const last = requireLine(parseLine(rest, lines.length + 1, path), { number: lines.length + 1, path });
  writeFully(file, Buffer.from('\n'));
  return [...lines, last];
}

/**
 * Opens a result file (JSON lines) for one run of a team. `last` returns the last line about a log, and `add` returns
 * when the line is on disk.
 * @param wait milliseconds to wait for another run to end
 * @throws Failure if another process uses the file, if it is a link or not a result file, or if it belongs to another
 * team; the file is then unchanged
 */
export async function openJournal(path: string, owner: Owner, wait = 0): Promise<Journal> {
  const unlock = await lock(path, wait, { doing: 'uploading this folder', is: 'an upload' });
  let file: number | undefined;
  try {
    const descriptor = openResultFile(path);
    file = descriptor;
    const { url, accessKey, uid } = owner;
    const own = repairResults(descriptor, path).filter((line) => line.url === url);
    requireOwner(path, own, owner);
    const last = new Map(own.map((line) => [line.file, line]));
    return {
      last: (name) => last.get(name),
      add(step) {
        const { file, state, digest, ...rest } = step;
        const at = new Date().toISOString();
        const line: Line = { file, url, accessKey, ...(uid !== undefined && { uid }), state, digest, ...rest, at };
        last.set(file, line);
        namingFile(path, () => {
          writeFully(descriptor, Buffer.from(`${JSON.stringify(line)}\n`));
          fsyncSync(descriptor);
        });
      },
      close() {
        closeSync(descriptor);
        unlock();
      },
    };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    unlock();
    throw error;
  }
}

/** A journal that keeps nothing, for a log without a file. */
export const noJournal: Journal = { last: () => undefined, add: () => {}, close: () => {} };
