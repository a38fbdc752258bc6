import { closeSync, constants, lstatSync, readSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../terminal/failure.ts';
import { openRegularFile } from './openRegularFile.ts';
import { removedAtExit } from './removedAtExit.ts';
import { createFile } from './write.ts';

/** Returns true if a process exists, also one of another user. The files that it works on are then in use. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends a signal to a process. @returns false if it has ended, even in this moment */
export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

// Windows has no O_NOFOLLOW.
const { O_RDONLY, O_NOFOLLOW = 0 } = constants;

/** Returns the content of a lock, or undefined if there is none. Others may have put there what is none. */
function readLock(file: string): string | undefined {
  try {
    const descriptor = openRegularFile(file, O_RDONLY | O_NOFOLLOW);
    try {
      // More than the id of any process has.
      const start = Buffer.alloc(20);
      return start.toString('latin1', 0, readSync(descriptor, start));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the process that has a lock: 0 if it is not known yet, `ended` if it has ended; undefined without a lock. */
function holderOf(file: string): number | 'ended' | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const content = readLock(file);
  if (!stat || content === undefined) return undefined;
  const pid = Number(content);
  // Another process has created the file and not written to it yet; after two seconds, it never will.
  if (pid === 0 && Date.now() - stat.mtimeMs < 2000) return 0;
  if (pid > 0 && isRunning(pid)) return pid;
  // Before it ended, the process may have removed its lock, and another one may have it since.
  return readLock(file) === content ? 'ended' : holderOf(file);
}

/**
 * Takes a lock, and removes an abandoned one, under the lock of this step: by then, another process may have the first.
 * @returns the process that has the lock, 0 if that is not known yet, or undefined if it is taken
 */
function takeLock(file: string): number | undefined {
  const holder = holderOf(file);
  if (holder === undefined) return createFile(file, String(process.pid)) ? undefined : takeLock(file);
  if (holder !== 'ended') return holder;
  const step = `${file}.takeover`;
  const other = takeLock(step);
  if (other !== undefined) return other;
  try {
    if (holderOf(file) === 'ended') rmSync(file, { force: true });
  } finally {
    rmSync(step, { force: true });
  }
  return takeLock(file);
}

/** Returns true if a process has the lock of a path. */
export const isLocked = (path: string): boolean => typeof holderOf(`${path}.lock`) === 'number';

/** Returns true for what a command says that ended because another process has the lock that it needs. */
export const saysLocked = (text: string): boolean => /^(?:Another process|Process \d+) is already /m.test(text);

/**
 * Locks a file, with a file beside it that ends in `.lock`. @param wait milliseconds to wait for it
 * @param busy what the other process does, such as `uploading this folder`, and what it is, such as `an upload`
 * @returns a function that removes the lock @throws Failure if the other process does not remove its lock in time
 */
export async function lock(path: string, wait: number, busy: { doing: string; is: string }): Promise<() => void> {
  const file = `${path}.lock`;
  const start = performance.now();
  for (;;) {
    const pid = takeLock(file);
    if (pid === undefined) return removedAtExit(file);
    if (performance.now() - start >= wait) {
      const other = pid === 0 ? 'Another process' : `Process ${pid}`;
      const advice = `Wait until it ends. If it is not ${busy.is}, remove ${file}.`;
      throw new Failure('usage', `${other} is already ${busy.doing}.`, { advice });
    }
    await sleep(50);
  }
}
