import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { ENTRY_COLUMNS, LEAF_COLUMNS, rowFile, TEXT_COLUMNS } from '../../../functions/features/rowFile.ts';
import type { OpenLog } from '../../proof/log/openLog.ts';
import { orNoLog, readOwnLog } from '../../proof/log/ownLog.ts';
import { lock } from '../../shell/files/lock.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { counted } from '../../shell/text/numbers.ts';
import type { Engine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { Target } from '../../store/targets/target.ts';
import { compareLeaves, countWithoutRow } from './compareRows.ts';
import { downloadDays } from './downloadDays.ts';
import { commit, OVERLAP_MS, readFirst, readNew, readWhole, type Sync, slotsBetween } from './fillRows.ts';
import { readLeaves } from './logLeaves.ts';
import { findLeaders } from './near.ts';
import { readRehearsed } from './rehearsedLeaves.ts';
import {
  countEntries,
  emptyManifest,
  filesOf,
  type Manifest,
  nameFiles,
  openStore,
  replaceFiles,
  type StoredFile,
  sourceOf,
} from './rowStore.ts';
import { compactFiles, openTables, openViews, readFiles, storedLeaders, storeQuery } from './rowTables.ts';

/** The time after which the index shows an entry, in milliseconds. */
export const INDEX_DELAY_MS = 5 * 60_000;

/** The longest time after which the sequencer finds an entry that the index showed late, and time to write. */
const LATE_MS = 26 * 3_600_000;

/** The queries of the index that take as long as the read of one entry page by page, times its 250 entries. */
const QUERIES_PER_ENTRY = 16 / 250;

/** Returns a manifest without damaged files that the sync makes again: what derives from the rows or from the log. */
function withoutDamaged(manifest: Manifest, damaged: readonly StoredFile[], now: number): Manifest {
  const again = (['near', 'leaves'] as const).filter((kind) => damaged.some(({ name }) => name.startsWith(`${kind}/`)));
  const old = again.flatMap((kind) => filesOf(manifest, kind)).filter(({ rows }) => rows > 0);
  const log = again.includes('leaves') && { treeSize: 0, root: '', missing: 0 };
  return replaceFiles({ ...manifest, ...log }, old, [], now);
}

/**
 * Returns the manifest to go on with. Says why, if the rows or files of them are made again.
 * @param whole look for damage in every file: otherwise, it is found when a file is read
 */
async function beginWith(
  { terminal, store, now }: Omit<Sync, 'manifest' | 'added'>,
  source: string,
  { rebuild, whole }: Readonly<Record<'rebuild' | 'whole', boolean>>,
) {
  const found = store.read();
  const { size: rehearsed } = readRehearsed(store.folder);
  const files = found && found !== 'damaged' && !rebuild ? found.files : [];
  const damaged = whole ? await store.findDamaged(files) : store.findCut(files);
  const named = `these files are damaged or gone: ${nameFiles(damaged)}`;
  const why =
    found === 'damaged'
      ? 'the manifest is damaged'
      : found && found.source !== source
        ? 'the table is another one'
        : found && found.rowVersion !== ROW_VERSION
          ? 'this version makes other rows'
          : found && found.rehearsed !== rehearsed
            ? 'a rehearsal has removed its logs'
            : damaged.some(({ name, rows }) => rows === 0 || /^(entries|texts)\//.test(name))
              ? named
              : undefined;
  if (found && found !== 'damaged' && why === undefined && !rebuild) {
    if (damaged.length > 0) terminal.note(`Made again, because ${named}.`);
    return store.sweep(withoutDamaged(found, damaged, now), now);
  }
  if (why !== undefined) terminal.note(`The rows are made again: ${why}.`);
  const fresh = emptyManifest(source, rehearsed);
  // Without files, SQL would know no columns.
  const empty = [
    store.add('entries', rowFile(ENTRY_COLUMNS, []), 0),
    store.add('texts', rowFile(TEXT_COLUMNS, []), 0),
    store.add('leaves', rowFile(LEAF_COLUMNS, []), 0),
  ];
  return replaceFiles(fresh, found && found !== 'damaged' ? found.files : [], empty, now);
}

/** Says what a sync did. @param ms how long it took */
function describe({ manifest, added }: Sync, ms: number): string {
  const { problems, missing, rehearsed } = manifest;
  return [
    `${added === 1 ? '1 new entry' : `${added || 'No'} new entries`} in ${Math.ceil(ms / 1000)} s.`,
    ...(problems.length > 0 ? [`${counted(problems.length, 'problem')}: ailog data sync --check names them.`] : []),
    ...(missing > 0 ? [`Entries of the transparency log that the table did not have: ${missing}.`] : []),
    ...(rehearsed > 0 ? [`Removed logs of a rehearsal, which stay in the transparency log: ${rehearsed}.`] : []),
  ].join(' ');
}

/**
 * Reads new entries, and compares the rows with the leaves of the log and with the number of entries in the table.
 * Reads more for as long as there are more.
 * @param table whether the whole table was `read` just now, must be read, or is read only if nothing else helps
 */
async function readAndCompare(
  sync: Sync,
  engine: Engine,
  log: OpenLog | undefined,
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
      await compareLeaves(engine, await readFiles(store, leaves.fresh));
      missing = await countWithoutRow(engine, store, sync.manifest);
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
    treeSize: checkpoint.size,
    root: Buffer.from(checkpoint.root).toString('base64'),
    missing: before + missing,
  });
}

/**
 * Brings the rows of a target up to date, and says what that took. Whenever the process ends, the rows that were stored
 * stay, and the next sync continues.
 * @param options `rebuild`: make all rows again; `whole`: read the whole table, and compare it with the rows;
 * `partRows`: see `collectRows`
 * @throws Failure if another process is at it
 */
export async function syncRows(
  terminal: Surroundings,
  target: Target,
  {
    rebuild = false,
    whole = false,
    partRows,
  }: { rebuild?: boolean; whole?: boolean; partRows?: number | undefined } = {},
): Promise<{ manifest: Manifest; added: number }> {
  const store = openStore(target);
  mkdirSync(dirname(store.lock), { recursive: true, mode: 0o700 });
  const unlock = await lock(store.lock, 0, { doing: 'reading new entries', is: 'a sync' });
  let engine: Engine | undefined;
  try {
    const began = performance.now();
    const now = await target.now();
    const reader = entriesReader(target);
    const source = sourceOf(await reader.describe());
    const log = await orNoLog(terminal, () => readOwnLog(target));
    const newest = log && (await orNoLog(terminal, () => log.newest()));
    const until = newest ? Math.max(0, Math.min(now, newest.cursor) - INDEX_DELAY_MS) : 0;
    const context = { terminal, store, reader, now, partRows };
    const sync: Sync = { ...context, manifest: await beginWith(context, source, { rebuild, whole }), added: 0 };
    const isFirst = sync.manifest.after === 'start';
    // What comes while the table is read is found from here on.
    commit(sync, isFirst ? { until } : {});
    const deployed = isFirst && log ? await target.openRows?.() : undefined;
    const downloaded = deployed && (await downloadDays(sync, deployed.files));
    if (sync.manifest.after !== undefined) await readFirst(sync);
    engine = await openTables(store, sync.manifest);
    const from = (isFirst ? (downloaded ?? now) : sync.manifest.until) - OVERLAP_MS;
    const isRead = isFirst && downloaded === undefined;
    await readAndCompare(sync, engine, log, { from, table: isRead ? 'read' : whole ? 'must' : 'may' });
    if (log) commit(sync, { until });
    const isNew = sync.added > 0 || filesOf(sync.manifest, 'near').length === 0;
    if (isNew && (await findLeaders(engine, await storedLeaders(store, sync.manifest)))) {
      const near = await storeQuery(engine, store, 'near', 'SELECT * FROM near ORDER BY text_digest');
      commit(sync, replaceFiles(sync.manifest, filesOf(sync.manifest, 'near'), [near], now));
    }
    commit(sync, await compactFiles(engine, store, sync.manifest, now));
    terminal.note(describe(sync, performance.now() - began));
    return { manifest: sync.manifest, added: sync.added };
  } finally {
    engine?.close();
    unlock();
  }
}
