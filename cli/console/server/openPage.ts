import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the file in a folder that opens the console in a browser. Only its owner can read it, and no argument of a
 * process has its link. It is no hidden file: browsers in a sandbox cannot read those.
 */
export function openingFile(folder: string, origin: string) {
  const path = join(folder, `ailog-console-${new URL(origin).port}.html`);
  const remove = () => {
    try {
      rmSync(path, { force: true });
    } catch {
      // What somebody else has put in its place stays there.
    }
  };
  return {
    path,
    /** Writes the file anew: a link works once. */
    write(link: string): void {
      remove();
      // Not in a file that somebody else has created, who could read it.
      writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">\n`, {
        flag: 'wx',
        mode: 0o600,
      });
    },
    remove,
  };
}

/** Opens a file in the browser of the user. Without a browser, nothing happens: the link is printed too. */
export function openBrowser(path: string): void {
  const program = { darwin: 'open', win32: 'explorer.exe' }[process.platform as string] ?? 'xdg-open';
  spawn(program, [path], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
