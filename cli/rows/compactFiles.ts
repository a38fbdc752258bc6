import { dirname } from 'node:path';
import type { Engine } from '../analysis/engine.ts';
import { type Manifest, type RowStore, replaceFiles } from './rowStore.ts';
import { readFiles, storeQuery } from './rowTables.ts';

/** The number of files that a day, or the leaves, may have while more come every minute. */
const OPEN_FILES = 48;

/** The time after which a day counts as closed, in milliseconds: what the index shows late has come by then. */
const CLOSED_MS = 3_600_000;

/** Returns the time at which a folder ends, in milliseconds since 1970. */
const endOf = (folder: string): number => Date.parse(folder.split('=')[1] ?? '') + 86_400_000;

/**
 * Makes one file of those of each closed day, and of too many files of the same folder.
 * @param now milliseconds since 1970
 */
export async function compactFiles(engine: Engine, store: RowStore, manifest: Manifest, now: number) {
  let compacted = manifest;
  const folders = Object.groupBy(manifest.files, ({ name }) => dirname(name));
  for (const [folder, files = []] of Object.entries(folders)) {
    if (files.length <= (now - endOf(folder) > CLOSED_MS ? 1 : OPEN_FILES)) continue;
    const order = folder === 'leaves' ? 'index' : 'uid, entry_id';
    const query = `SELECT * FROM ${readFiles(store, files)} ORDER BY ${order}`;
    const file = await storeQuery(engine, store, folder, query);
    compacted = replaceFiles(compacted, files, [file], now);
  }
  return compacted;
}
