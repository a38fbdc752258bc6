import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a folder that only its owner can read, if there is none, and takes the rights of others away from an existing
 * one and its files. Has no effect on Windows, where files of a user's folder are private to the user.
 */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);
    else if (entry.isDirectory()) makePrivate(join(folder, entry.name));
  }
}
