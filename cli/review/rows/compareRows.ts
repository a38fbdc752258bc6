import { orNoLog } from '../../proof/inclusion/locateEntry.ts';
import type { PublishedLog } from '../../proof/inclusion/publishedLog.ts';
import type { Engine } from '../../store/duckdb/duckdb.ts';
import { commit, readNew, readWhole, type Sync, slotsBetween } from './fillRows.ts';
import { storeLeaves } from './logLeaves.ts';
import { countEntries, filesOf, replaceFiles, type StoredFile } from './rowStore.ts';
import { countMissing, openViews, readFiles } from './rowTables.ts';

/** The longest time after which the sequencer finds an entry that the index showed late, and time to write. */
const LATE_MS = 26 * 3_600_000;

/** The queries of the index that take as long as the read of one entry page by page, times its 250 entries. */
const QUERIES_PER_ENTRY = 16 / 250;

/** Stores the leaves of the log that are new. @returns them, and the files of those that are not in the log any more */
async function readLeaves({ terminal, store, manifest }: Sync, log: PublishedLog) {
  const next = await storeLeaves(store, log, manifest);
  const old: StoredFile[] = [];
  if (next) return { fresh: next, old };
  const { treeSize, root } = manifest;
  terminal.reportNegative();
  terminal.note(
    `The transparency log does not continue the one of the last sync, which had the size ${treeSize} and the root ${root}. Its leaves are read again.`,
  );
  const fresh = (await storeLeaves(store, log, { treeSize: 0, root: '' })) ?? [];
  return { fresh, old: filesOf(manifest, 'leaves').filter(({ rows }) => rows > 0) };
}

/**
 * Reads new entries, and compares the rows with the leaves of the log and with the number of entries in the table.
 * Reads more for as long as there are more.
 * @param table whether the whole table was `read` just now, must be read, or is read only if nothing else helps
 */
export async function readAndCompare(
  sync: Sync,
  engine: Engine,
  log: PublishedLog | undefined,
  { from, table }: { from: number; table: 'read' | 'must' | 'may' },
): Promise<void> {
  const { terminal, store, reader, now } = sync;
  const { ItemCount = 0 } = await reader.describe();
  const isCheap = (start: number) => start > 0 && slotsBetween(start, now) < 500 + ItemCount * QUERIES_PER_ENTRY;
  const starts = table === 'must' ? [] : [from, from - LATE_MS].filter(isCheap);
  const leaves = log && (await orNoLog(terminal, () => readLeaves(sync, log)));
  const isCounted = ItemCount === sync.manifest.itemCount;
  let missing = 0;
  for (const start of table === 'read' ? starts : [...starts, undefined]) {
    await (start === undefined ? readWhole(sync, engine) : readNew(sync, engine, start));
    await openViews(engine, store, sync.manifest);
    if (log && leaves && leaves.fresh.length > 0) {
      missing = await countMissing(engine, readFiles(store, leaves.fresh), sync.manifest, log.head);
    }
    // Entries that the service did not write, such as those of the demo, are not in the index.
    if (missing === 0 && (isCounted || ItemCount <= countEntries(sync.manifest))) break;
  }
  commit(sync, { itemCount: ItemCount });
  if (!log || !leaves) return;
  const { checkpoint } = log;
  const before = leaves.old.length > 0 ? 0 : sync.manifest.missing;
  commit(sync, {
    ...replaceFiles(sync.manifest, leaves.old, leaves.fresh, now),
    ...{ treeSize: checkpoint.size, root: Buffer.from(checkpoint.root).toString('base64'), missing: before + missing },
  });
}
