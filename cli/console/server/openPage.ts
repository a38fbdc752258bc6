import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../shell/files/lock.ts';
import { isOwnFile, writeNew } from '../../shell/files/write.ts';
import type { Links } from './guard.ts';

/** Leads Apple's browsers to an address that they find, and others to the address that nobody knows before. */
const script = ({ link, appleLink }: Links) =>
  `<script>location.replace(navigator.vendor.startsWith('Apple') ? '${appleLink}' : '${link}')</script>`;

/** The name of an opening file: its port, its process, and what nobody can know. It may not be whole yet. */
const NAME = /^ailog-console-\d+-(\d+)-[0-9a-f]{8}\.html(\.[0-9a-f]{16})?$/;

function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(NAME.exec(name)?.[1] ?? process.pid);
    if (isRunning(pid)) continue;
    const path = join(folder, name);
    if (isOwnFile(path)) rmSync(path, { force: true });
  }
}

/**
 * Returns the file in a folder that opens the console in a browser, and removes those that killed consoles have left.
 * Only its owner can read it, its name is new, and it is no hidden file, which browsers in a sandbox cannot read.
 */
export function openingFile(folder: string, port: number) {
  const path = join(folder, `ailog-console-${port}-${process.pid}-${randomBytes(4).toString('hex')}.html`);
  removeAbandoned(folder);
  const remove = () => {
    try {
      rmSync(path, { force: true });
    } catch {
      // A file that somebody else has put in its place stays there.
    }
  };
  return {
    path,
    /** Writes the file anew: a link works once. */
    write(links: Links): void {
      remove();
      const leads = links.appleLink ? script(links) : `<meta http-equiv="refresh" content="0; url=${links.link}">`;
      // Not into a file that somebody else has created and could read.
      writeNew([{ path, text: `<!doctype html>${leads}\n` }]);
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
