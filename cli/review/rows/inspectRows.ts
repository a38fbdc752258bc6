import { join } from 'node:path';
import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../../functions/c2sp/rightEdge.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { rowKeysOf } from '../../proof/inclusion/locateEntry.ts';
import { countOf, type Engine, readBatches } from '../../store/duckdb/duckdb.ts';
import type { entriesReader } from '../../store/entries/entriesReader.ts';
import { type EntryKey, keyText } from '../../store/entries/entryFilter.ts';
import { type Manifest, type RowStore, sha256Of } from './rowStore.ts';
import { countMissing, openTables } from './rowTables.ts';

/** The number of rows that differ that are named. */
const NAMED = 10;

/** The entries that are read from the table at once. */
const READ_AT_ONCE = 1000;

type ReadAll = ReturnType<typeof entriesReader>['readAll'];

/** Returns the names of the files that are not as the manifest says. */
export async function findDamaged({ folder, hasSize }: RowStore, { files }: Manifest): Promise<string[]> {
  const damaged: string[] = [];
  for (const file of files) {
    const isWhole = hasSize(file) && (await sha256Of(join(folder, file.name))) === file.sha256;
    if (!isWhole) damaged.push(file.name);
  }
  return damaged;
}

/**
 * Reads the entries of rows from the table again. @returns the keys of those that the sequencer will find when it looks
 * at their hour a second time: they are as the service stored them
 */
async function readWaiting(engine: Engine, readAll: ReadAll, rows: string): Promise<Set<string>> {
  const waiting = new Set<string>();
  for await (const batch of readBatches<EntryKey & { leaf: Uint8Array }>(engine, rows, READ_AT_ONCE)) {
    const leaves = new Map(batch.map((row) => [keyText(row), row.leaf]));
    for (const entry of await readAll(batch)) {
      const { isIndexed, entryHash } = rowKeysOf(entry);
      const leaf = leaves.get(keyText(entry));
      if (isIndexed && leaf && entryHash?.equals(leaf)) waiting.add(keyText(entry));
    }
  }
  return waiting;
}

/**
 * Compares every row with the leaves of the log that were read, both ways, and computes their root.
 * @param head undefined: the log cannot be read now
 */
export async function inspectRows(store: RowStore, manifest: Manifest, head: Head | undefined, readAll: ReadAll) {
  const engine = await openTables(store, manifest);
  try {
    const { read, run } = engine;
    await run(`CREATE TABLE unlogged AS
      SELECT uid, entry_id AS "entryId", leaf, received_at
      FROM entries WHERE leaf NOT IN (SELECT leaf FROM leaves)`);
    const unlogged = await countOf(engine, 'unlogged');
    const late = `SELECT uid, "entryId", leaf FROM unlogged WHERE received_at < ${manifest.until}`;
    // The clock of the service may have been set back: the sequencer had come past the time of these entries already.
    const waiting = head && (await readWaiting(engine, readAll, `${late} AND received_at >= ${head.looked}`));
    const differing = (await Array.fromAsync(read<EntryKey>(`${late} ORDER BY uid, "entryId"`)))
      .map(({ uid, entryId }) => ({ uid, entryId }))
      .filter((key) => !waiting?.has(keyText(key)));
    const differs = differing.length;
    let edge = EMPTY_EDGE;
    const leaves = readBatches<{ leaf: Uint8Array }>(engine, 'SELECT leaf FROM leaves ORDER BY "index"', 65_536);
    for await (const batch of leaves) {
      const hashes = batch.map(({ leaf }) => leaf);
      ({ edge } = appendEntries(edge, hashes));
    }
    return {
      places: {
        ...{ logged: (await countOf(engine, 'entries')) - unlogged, pending: unlogged - differs, differs },
        missing: await countMissing(engine, 'leaves', manifest, head ?? { keys: [] }),
      },
      /** Rows whose leaf is not in the log, although it came past their time. At most ten. */
      differing: differing.slice(0, NAMED),
      /** True if the stored leaves have the root of the checkpoint that was verified when they were read. */
      isRootRight:
        edge.size === manifest.treeSize && (edge.size === 0 || rootOfEdge(edge).toString('base64') === manifest.root),
    };
  } finally {
    engine.close();
  }
}
