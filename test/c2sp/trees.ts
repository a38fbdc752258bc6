import { EMPTY_ROOT, leafHashOf, treeHash } from '../../functions/c2sp/hashing.ts';
import { appendEntries, EMPTY_EDGE, type RightEdge } from '../../functions/c2sp/rightEdge.ts';
import { type Tile, tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';

/** Entries that differ from each other, 32 bytes each as the log's are. */
export const entriesOf = (count: number, first = 0): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(32, String(first + index)));

/** The root as RFC 6962 defines it, without tiles. */
export const plainRoot = (entries: readonly Uint8Array[]): Buffer =>
  entries.length === 0 ? EMPTY_ROOT : treeHash(Buffer.concat(entries.map(leafHashOf)));

/** A log in memory: every file that was ever written, by its path. */
export function memoryLog() {
  const files = new Map<string, Uint8Array>();
  let edge: RightEdge = EMPTY_EDGE;
  return {
    files,
    edge: () => edge,
    append(entries: readonly Uint8Array[]): void {
      const appended = appendEntries(edge, entries);
      for (const { path, bytes } of appended.files) {
        if (files.has(path)) throw new Error(`${path} is written twice`);
        files.set(path, bytes);
      }
      edge = appended.edge;
    },
    read: (size: number) =>
      treeReader(async (tile: Tile) => {
        const bytes = files.get(tilePath(tile));
        if (!bytes) throw new Error(`There is no ${tilePath(tile)}`);
        return bytes;
      }, size),
  };
}
