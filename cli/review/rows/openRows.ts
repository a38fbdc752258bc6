import { ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { isLocked } from '../../shell/files/lock.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Engine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { Target } from '../../store/targets/target.ts';
import { type Manifest, openStore, type RowStore, sourceOf } from './rowStore.ts';
import { openTables } from './rowTables.ts';

export const noSync = {
  flags: '--no-sync',
  help: 'use the rows on this machine, without reading new entries',
} as const;

/** Says why rows are not complete. @param isSyncing whether a sync had their lock before they were read */
export const whyPartial = (isSyncing: boolean): string =>
  `the first sync ${isSyncing ? 'is still running' : 'was interrupted'}`;

/** The rows of a target, to be read with SQL. */
export interface OpenRows {
  readonly store: RowStore;
  readonly manifest: Manifest;
  readonly engine: Engine;
}

/**
 * Brings the rows of a target up to date, unless another process is at it, and runs work on them.
 * @param sync false: use the rows as they are
 * @throws Failure if there are no rows, or those of another version or table
 */
export async function withRows<Result>(
  terminal: Surroundings,
  target: Target,
  { sync }: { sync: boolean },
  work: (rows: OpenRows) => Promise<Result>,
): Promise<Result> {
  const store = openStore(target);
  const before = store.read();
  if (sync) {
    // Writing Parquet takes longer to load than the rest of a command.
    const { syncRows } = await import('./syncRows.ts');
    await syncRows(terminal, target).catch((error) => {
      // A lock is no reason to wait for a first sync that may take minutes.
      const isBusy =
        error instanceof Failure && error.outcome === 'usage' && before !== undefined && before !== 'damaged';
      if (!isBusy) throw error;
      terminal.note(`${error.message} What it has stored so far is used.`);
    });
  }
  const isSyncing = isLocked(store.lock);
  const manifest = store.read();
  const advice = 'Run it without --no-sync, or ailog data sync.';
  const rows = `rows of ${target.name} on this machine`;
  if (manifest === undefined) throw new Failure('usage', `There are no ${rows}.`, { advice });
  if (manifest === 'damaged') throw new Failure('negative', `The manifest in ${store.folder} is damaged.`, { advice });
  const areOf = (other: string) => new Failure('usage', `The ${rows} are those of another ${other}.`, { advice });
  if (manifest.rowVersion !== ROW_VERSION) throw areOf('version of ailog');
  if (!sync && manifest.source !== sourceOf(await entriesReader(target).describe())) throw areOf('table');
  if (manifest.after !== undefined) terminal.note(`The rows are not complete: ${whyPartial(isSyncing)}.`);
  const engine = await openTables(store, manifest);
  try {
    return await work({ store, manifest, engine });
  } finally {
    engine.close();
  }
}
