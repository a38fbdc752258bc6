import { FEATURE_COLUMNS, type FeatureRow, featureRow, PoisonedEntry } from '../../functions/features/featureRow.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import { readPages } from '../entries/readPages.ts';
import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Engine } from './engine.ts';

/** The rows that are appended at once. A page of a small team has only a few. */
const ROWS_AT_ONCE = 2048;

/**
 * Reads all entries, and makes the table `entries` of their feature rows, in memory only.
 * @returns the keys of the entries that get no row
 */
export async function loadRows(terminal: Terminal, target: Target, engine: Engine): Promise<EntryKey[]> {
  const append = await engine.table('entries', FEATURE_COLUMNS);
  const poisoned: EntryKey[] = [];
  let rows: FeatureRow[] = [];
  for await (const { entries } of readPages(terminal, entriesReader(target.db, target.tables.aiLogs), {})) {
    for (const entry of entries) {
      try {
        rows.push(featureRow(entry).row);
      } catch (error) {
        if (!(error instanceof PoisonedEntry)) throw error;
        poisoned.push({ uid: entry.uid, entryId: entry.entryId });
      }
    }
    if (rows.length < ROWS_AT_ONCE) continue;
    await append(rows);
    rows = [];
  }
  await append(rows);
  return poisoned;
}
