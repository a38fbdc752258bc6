import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isRunning } from '../../cli/shell/files/lock.ts';

/** The name of a folder of a run: it has the process id, and six characters that `mkdtemp` adds. */
const NAME = /^ailog-run-(\d+)-\w{6}$/;

/**
 * Gives this process, and all that it starts, a temporary folder of its own, which is removed when the process ends.
 * Removes the folders of processes that were killed. It is also the setup of vitest projects.
 * @returns removes the folder earlier
 */
export default function openRunFolder(): () => void {
  const parent = tmpdir();
  // The projects of a run share one: in a folder in it, other users could not read, whatever a test allows.
  if (NAME.exec(basename(parent))?.[1] === String(process.pid)) return () => {};
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(parent, `ailog-run-${process.pid}-`));
  process.env.TMPDIR = folder;
  // A program that has just been ended may write for a moment more.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.once('exit', remove);
  return remove;
}
