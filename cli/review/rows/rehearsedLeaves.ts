import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readWhole } from '../../shell/files/readWhole.ts';
import { replaceFile } from '../../shell/files/write.ts';

/** The longest file: that of a million logs. */
const MOST_BYTES = 65 * 1_000_000;

/**
 * Returns the entry hashes in hex of logs that rehearsals made and removed from this machine: they stay in the
 * transparency log. @param folder that of the rows
 */
export function readRehearsed(folder: string): ReadonlySet<string> {
  const path = join(folder, 'rehearsed');
  return new Set(existsSync(path) ? String(readWhole(path, MOST_BYTES)).split('\n').filter(Boolean) : []);
}

/** Adds entry hashes in hex to those of rehearsals, before the logs are removed. */
export function addRehearsed(folder: string, leaves: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(join(folder, 'rehearsed'), [...readRehearsed(folder), ...leaves, ''].join('\n'));
}
