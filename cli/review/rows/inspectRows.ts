import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../../functions/c2sp/rightEdge.ts';
import type { OwnLog } from '../../proof/log/ownLog.ts';
import {
  noPlaces,
  type Place,
  placeOf,
  type RowKeys,
  type Status,
  unloggedPlace,
  whyUnlogged,
} from '../../proof/log/rowPlace.ts';
import { countOf, readBatches } from '../../store/duckdb/duckdb.ts';
import type { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryKey } from '../../store/entries/entryFilter.ts';
import { compareLeaves, countWithoutRow, placesOf } from './compareRows.ts';
import type { Manifest, RowStore } from './rowStore.ts';
import { openTables, requireWhole } from './rowTables.ts';
import { INDEX_DELAY_MS } from './syncRows.ts';

/** The number of contradicted rows that are named. */
const NAMED = 10;

/** Returns the status of an intact row. What the sequencer will still find when its time comes is pending. */
const statusIn = (place: Place): Status =>
  place.status === 'missing' && (place.why === 'waiting' || place.why === 'ahead') ? 'pending' : place.status;

/** Looks rows up in what the last sync knew of the log, which cannot be read now. */
const locateAt =
  ({ until }: Manifest, now: number) =>
  async ({ stored, isIndexed, receivedAt }: RowKeys): Promise<Place> =>
    unloggedPlace(
      whyUnlogged(
        { isEdited: stored !== undefined, isIndexed, receivedAt },
        { cursor: until + INDEX_DELAY_MS, looked: Number.POSITIVE_INFINITY },
        now,
      ),
    );

/**
 * Compares every row with the leaves of the log that were read, both ways, and computes their root.
 * @param log undefined: it cannot be read now
 * @throws Failure if a file, also one that is not read here, is not as it was written
 */
export async function inspectRows(
  store: RowStore,
  manifest: Manifest,
  { log, reader, now }: { log: OwnLog | undefined; reader: ReturnType<typeof entriesReader>; now: number },
) {
  await requireWhole(store, manifest.files);
  const engine = await openTables(store, manifest);
  try {
    await compareLeaves(engine, 'leaves');
    const places = { ...noPlaces(), logged: await countOf(engine, 'compared SEMI JOIN logged USING (hash)') };
    const contradicted: EntryKey[] = [];
    const unknown = 'SELECT uid, entry_id, received_at, hash AS leaf FROM unlogged ORDER BY uid, entry_id';
    const locate = log ? (row: RowKeys) => placeOf(log, row) : locateAt(manifest, now);
    for await (const { place, ...key } of placesOf(engine, unknown, locate, reader)) {
      const status = statusIn(place as Place);
      places[status] += 1;
      if (status === 'differs' || status === 'missing') contradicted.push(key);
    }
    let edge = EMPTY_EDGE;
    const leaves = readBatches<{ leaf: Uint8Array }>(engine, 'SELECT leaf FROM leaves ORDER BY "index"', 65_536);
    for await (const batch of leaves) {
      const hashes = batch.map(({ leaf }) => leaf);
      ({ edge } = appendEntries(edge, hashes));
    }
    return {
      places,
      withoutRow: await countWithoutRow(engine, store, manifest),
      /** Rows that the log contradicts. At most ten. */
      contradicted: contradicted.slice(0, NAMED),
      /** True if the stored leaves have the root of the checkpoint that was verified when they were read. */
      isRootRight:
        edge.size === manifest.treeSize && (edge.size === 0 || rootOfEdge(edge).toString('base64') === manifest.root),
    };
  } finally {
    engine.close();
  }
}
