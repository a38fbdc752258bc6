import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a folder and its files readable to its owner only, and creates it if there is none. No effect on Windows. */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);
    else if (entry.isDirectory()) makePrivate(join(folder, entry.name));
  }
}
