import { compare } from '../../proof/audit/compare.ts';
import { type Place, type RowKeys, rowKeysOf, unloggedPlace } from '../../proof/log/rowPlace.ts';
import { type Engine, readBatches } from '../../store/duckdb/duckdb.ts';
import type { entriesReader } from '../../store/entries/entriesReader.ts';
import { type EntryKey, keyText } from '../../store/entries/entryFilter.ts';
import { readRehearsed } from './rehearsedLeaves.ts';
import type { Manifest, RowStore } from './rowStore.ts';

const READ_AT_ONCE = 1000;

/** The maximum number of entries that are read again, so that a report before the first backfill does not read all. */
const READ_AGAIN = 1000;

/**
 * Compares leaves of the log with the rows in the table `entries`, see `compare`.
 * @param leaves the SQL of a table with `index` and `leaf`
 */
export async function compareLeaves(engine: Engine, leaves: string): Promise<void> {
  await engine.run(`
    CREATE OR REPLACE VIEW leaf AS SELECT "index" AS idx, leaf AS hash FROM ${leaves};
    CREATE OR REPLACE VIEW compared AS SELECT uid, entry_id, leaf AS hash, received_at FROM entries`);
  await compare(engine);
}

/** After `compareLeaves`, returns how many leaves have no row, no problem instead of it, and are of no rehearsal. */
export async function countWithoutRow(
  { read }: Engine,
  { folder }: RowStore,
  { problems }: Pick<Manifest, 'problems'>,
): Promise<number> {
  const explained = new Set([...problems.map(({ leaf }) => leaf), ...readRehearsed(folder)]);
  let count = 0;
  for await (const { hash } of read<{ hash: Uint8Array }>('SELECT hash FROM without_row')) {
    if (!explained.has(Buffer.from(hash).toString('hex'))) count += 1;
  }
  return count;
}

/** A row whose leaf is not among those that were read: `leaf` follows from the entry of which the row was made. */
type UnknownRow = Readonly<{ uid: string; entry_id: string; received_at: number; leaf: Uint8Array }>;

/**
 * Yields the places of rows in the log as it is now. An entry that it does not have is read again from the table, up to
 * a number: only the entry tells whether it was changed.
 * @param rows a query of `UnknownRow`
 * @param locate see `openPlaces`
 */
export async function* placesOf(
  engine: Pick<Engine, 'read'>,
  rows: string,
  locate: (keys: RowKeys) => Promise<Place | undefined>,
  { readAll }: Pick<ReturnType<typeof entriesReader>, 'readAll'>,
): AsyncGenerator<EntryKey & { readonly place: Place | undefined }> {
  let again = READ_AGAIN;
  for await (const batch of readBatches<UnknownRow>(engine, rows, READ_AT_ONCE)) {
    const unlogged: (EntryKey & { place: Place | undefined; entryHash: Buffer })[] = [];
    for (const { uid, entry_id: entryId, received_at: receivedAt, leaf } of batch) {
      const entryHash = Buffer.from(leaf);
      const place = await locate({ entryHash, isIndexed: true, receivedAt });
      if (place?.status === 'logged') yield { uid, entryId, place };
      else unlogged.push({ uid, entryId, place, entryHash });
    }
    const entries = await readAll(unlogged.slice(0, again));
    again -= Math.min(again, unlogged.length);
    const stored = new Map(entries.map((entry) => [keyText(entry), rowKeysOf(entry)]));
    for (const { entryHash, place, ...key } of unlogged) {
      const keys = stored.get(keyText(key));
      // The row is that of an entry that was changed, whatever the entry is now.
      const isChanged = keys?.entryHash !== undefined && !keys.entryHash.equals(entryHash);
      yield { ...key, place: isChanged ? unloggedPlace('edited') : keys ? await locate(keys) : place };
    }
  }
}
