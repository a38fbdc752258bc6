import pMap from 'p-map';
import type { Entry } from '../../../functions/ailog/entry.ts';
import type { FeatureRow } from '../../../functions/features/featureRow.ts';
import { arrivalSlot, SHARDS } from '../../../functions/tlog/arrival.ts';
import { entryHashOfRow } from '../../proof/log/rowPlace.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { type Engine, quoted, rowsOf } from '../../store/duckdb/duckdb.ts';
import type { EntryPage, entriesReader } from '../../store/entries/entriesReader.ts';
import { type EntryKey, keyText } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { openCollector, storeDays } from './collectRows.ts';
import { countRows, filesOf, type Manifest, type RowStore } from './rowStore.ts';
import { compactSmallFiles, dayEndOf, readFiles } from './rowTables.ts';

const MINUTE_MS = 60_000;

/** Queries of the index at the same time. Each minute takes sixteen. */
const QUERIES = 32;

/** The number of entries that are read by key before the next ones. */
const KEYS = 2000;

/** The time that is read again, in milliseconds. */
export const OVERLAP_MS = 10 * MINUTE_MS;

/** The state of a sync. */
export interface Sync {
  readonly terminal: Surroundings;
  readonly store: RowStore;
  readonly reader: ReturnType<typeof entriesReader>;
  readonly now: number;
  /** See `collectRows`. */
  readonly partRows: number | undefined;
  manifest: Manifest;
  added: number;
}

function knownKeys(keys: readonly EntryKey[]): (key: EntryKey) => boolean {
  const known = new Set(keys.map(keyText));
  return (key) => known.has(keyText(key));
}

export function commit(sync: Sync, change: Partial<Manifest>): void {
  sync.manifest = { ...sync.manifest, ...change };
  sync.store.commit(sync.manifest);
}

/**
 * Stores the rows of entries, in parts.
 * @param expected the number of entries, as far as it is known
 * @param change what the manifest says after the part that a page ends
 */
async function storeRows<Page extends Pick<EntryPage, 'entries'>>(
  sync: Sync,
  expected: number,
  pages: AsyncIterable<Page>,
  change: (page: Page) => Partial<Manifest> = () => ({}),
): Promise<void> {
  const collector = openCollector(sync.partRows, expected);
  const keep = async (change: Partial<Manifest>) => {
    const { keys, days, problems } = await collector.take();
    const isFresh = knownKeys([...keys, ...problems]);
    sync.added += keys.length;
    const { manifest } = sync;
    commit(sync, {
      ...change,
      files: [...manifest.files, ...storeDays(sync.store, days)],
      problems: [...manifest.problems.filter((problem) => !isFresh(problem)), ...problems],
    });
    const compacted = await compactSmallFiles(sync.store, sync.manifest, sync.now);
    if (compacted !== sync.manifest) commit(sync, compacted);
  };
  let last: Partial<Manifest> = {};
  const adding: (boolean | Promise<boolean>)[] = [];
  try {
    for await (const page of pages) {
      sync.terminal.signal.throwIfAborted();
      if (adding.length === collector.atOnce && (await adding.shift())) {
        await Promise.all(adding.splice(0));
        await keep(last);
      }
      // The next page is read meanwhile.
      adding.push(collector.add(page.entries));
      last = change(page);
    }
    await Promise.all(adding);
    await keep(last);
  } finally {
    collector.close();
  }
}

/** Reads the table by UID, in parts. Continues where the last one was interrupted. */
export async function readFirst(sync: Sync): Promise<void> {
  const { terminal, reader, manifest } = sync;
  const after = manifest.after === 'start' ? undefined : manifest.after;
  if (after) terminal.note(`Continuing the first sync after UID ${after.uid}.`);
  const { ItemCount = 0 } = await reader.describe();
  await storeRows(sync, ItemCount, readPages(terminal, reader, {}, { after }), ({ next }) => ({ after: next }));
  // An empty table has no page.
  commit(sync, { after: undefined });
}

/** Returns the number of queries that read the arrivals of a time. @param from, until milliseconds since 1970 */
export const slotsBetween = (from: number, until: number): number =>
  (Math.floor(until / MINUTE_MS) - Math.floor(from / MINUTE_MS) + 1) * SHARDS;

/** Reads what the index shows from a time on, as far as it is not known. */
export async function readNew(sync: Sync, engine: Engine, from: number): Promise<void> {
  const { reader, now, store, manifest } = sync;
  const since = from - OVERLAP_MS;
  const recent = filesOf(manifest, 'entries').filter((file) => !(dayEndOf(file) <= since));
  const query = `SELECT uid, entry_id AS "entryId" FROM ${await readFiles(store, recent)} WHERE received_at >= ${since}`;
  const isKnown = knownKeys(await rowsOf<EntryKey>(engine, query));
  const first = Math.floor(from / MINUTE_MS);
  const slots = Array.from({ length: slotsBetween(from, now + OVERLAP_MS) }, (_, index) =>
    arrivalSlot((first + Math.floor(index / SHARDS)) * MINUTE_MS, index % SHARDS),
  );
  const keys = (await pMap(slots, reader.keysOfSlot, { concurrency: QUERIES })).flat();
  const unknown = keys.filter((key) => !isKnown(key));
  async function* arrivals() {
    for (let start = 0; start < unknown.length; start += KEYS)
      yield { entries: await reader.readAll(unknown.slice(start, start + KEYS)) };
  }
  await storeRows(sync, unknown.length, arrivals());
}

type Kept = Pick<FeatureRow, 'entry_id' | 'leaf' | 'order_id' | 'stage' | 'model'>;

/** Reads the whole table, and compares it with the rows. */
export async function readWhole(sync: Sync, engine: Engine): Promise<void> {
  const { terminal, reader, manifest } = sync;
  const known = countRows(manifest);
  // The entry hash does not cover the last three.
  const textOf = (leaf: Uint8Array | undefined, ...copies: unknown[]) =>
    JSON.stringify([leaf && Buffer.from(leaf).toString('hex'), ...copies.map((copy) => String(copy ?? ''))]);
  const keptOf = async (uid: string) => {
    const kept = new Map<string, string>();
    const query = `SELECT entry_id, leaf, order_id, stage, model FROM entries WHERE uid = ${quoted(uid)}`;
    for await (const { entry_id, leaf, order_id, stage, model } of engine.read<Kept>(query)) {
      kept.set(entry_id, textOf(leaf, order_id, stage, model));
    }
    return kept;
  };
  /** Entries whose attributes are not those of their row any more, and the number of entries that have a row. */
  const changed: EntryKey[] = [];
  let found = 0;
  async function* entriesWithoutRow() {
    let uid: string | undefined;
    let kept = new Map<string, string>();
    for await (const { entries } of readPages(terminal, reader, {})) {
      const unknown: Entry[] = [];
      for (const entry of entries) {
        if (entry.uid !== uid) {
          uid = entry.uid;
          kept = await keptOf(uid);
        }
        const row = kept.get(entry.entryId);
        if (row === undefined) unknown.push(entry);
        else {
          found += 1;
          if (row !== textOf(entryHashOfRow(entry), entry.orderId, entry.stage, entry.model)) changed.push(entry);
        }
      }
      yield { entries: unknown };
    }
  }
  await storeRows(sync, 0, entriesWithoutRow());
  const problem = 'it was changed in the table since its row was made';
  const problems = changed.map(({ uid, entryId }) => ({ uid, entryId, problem, hasRow: true }));
  const others = sync.manifest.problems.filter((one) => one.hasRow !== true || !manifest.problems.includes(one));
  commit(sync, { problems: [...others, ...problems] });
  if (known > found) terminal.note(`Rows of entries that the table does not have any more: ${known - found}.`);
}
