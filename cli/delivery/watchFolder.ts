import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { type FolderUpload, listLogs, uploadFolder } from './uploadFolder.ts';

/** The time between two looks at the folder, in milliseconds. */
const LOOK_MS = 500;
/** The time before the next attempt after the service did not answer, in milliseconds. */
const LATER_MS = 5000;

/** Returns the size and time of a file as text, to see that it changed. Empty if it is gone. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeMs}` : '';
}

/**
 * Uploads the logs of a folder, and then each new log, until the user stops it. A log is sent when two looks in a row
 * find it unchanged, because a bot may still be writing it. Failures of the service or the network are tried again.
 * @throws Failure when the user stops it, or if the service rejects the key
 */
export async function watchFolder(
  terminal: Terminal,
  access: Access,
  folder: string,
  options: FolderUpload,
): Promise<never> {
  let seen = new Map<string, string>();
  const handled = new Map<string, string>();
  for (;;) {
    const now = new Map(listLogs(folder).map((file) => [file, versionOf(join(folder, file))]));
    const settled = [...now].filter(([file, version]) => seen.get(file) === version && handled.get(file) !== version);
    seen = now;
    let wait = LOOK_MS;
    for (const [file, version] of settled) {
      if (terminal.signal.aborted) break;
      if ((await uploadFolder(terminal, access, folder, [file], { ...options, waits: true })) === 'later') {
        wait = LATER_MS;
        break;
      }
      handled.set(file, version);
    }
    await sleep(wait, undefined, { signal: terminal.signal }).catch((cause) => {
      throw new Failure('interrupted', 'Stopped watching.', { cause });
    });
  }
}
