import { statSync } from 'node:fs';
import { join } from 'node:path';
import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import type { Head } from '../../functions/tlog/tlogTable.ts';
import { countOf, readBatches } from '../analysis/engine.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import { type Manifest, type RowStore, sha256Of } from './rowStore.ts';
import { countMissing, openTables } from './rowTables.ts';

/** The number of rows that differ that are named. */
const NAMED = 10;

/** Returns the names of the files that are not as the manifest says. */
export async function findDamaged({ folder }: RowStore, { files }: Manifest): Promise<string[]> {
  const damaged: string[] = [];
  for (const { name, bytes, sha256 } of files) {
    const path = join(folder, name);
    const isWhole = statSync(path, { throwIfNoEntry: false })?.size === bytes && (await sha256Of(path)) === sha256;
    if (!isWhole) damaged.push(name);
  }
  return damaged;
}

/** Compares every row with the leaves of the log that were read, both ways, and computes their root. */
export async function inspectRows(store: RowStore, manifest: Manifest, head: Pick<Head, 'keys'>) {
  const engine = await openTables(store, manifest);
  try {
    const { read, run } = engine;
    await run(`CREATE TABLE unlogged AS
      SELECT uid, entry_id AS "entryId", received_at < ${manifest.until} AS differs
      FROM entries WHERE leaf NOT IN (SELECT leaf FROM leaves)`);
    const unlogged = await countOf(engine, 'unlogged');
    const differs = await countOf(engine, 'unlogged WHERE differs');
    const named = `SELECT uid, "entryId" FROM unlogged WHERE differs ORDER BY ALL LIMIT ${NAMED}`;
    let edge = EMPTY_EDGE;
    const leaves = readBatches<{ leaf: Uint8Array }>(engine, 'SELECT leaf FROM leaves ORDER BY "index"', 65_536);
    for await (const batch of leaves) {
      const hashes = batch.map(({ leaf }) => leaf);
      ({ edge } = appendEntries(edge, hashes));
    }
    return {
      places: {
        ...{ logged: (await countOf(engine, 'entries')) - unlogged, pending: unlogged - differs, differs },
        missing: await countMissing(engine, 'leaves', manifest, head),
      },
      /** Rows whose leaf is not in the log, although it came past their time. At most ten. */
      differing: await Array.fromAsync(read<EntryKey>(named)),
      /** True if the stored leaves have the root of the checkpoint that was verified when they were read. */
      isRootRight:
        edge.size === manifest.treeSize && (edge.size === 0 || rootOfEdge(edge).toString('base64') === manifest.root),
    };
  } finally {
    engine.close();
  }
}
