import { FEATURE_COLUMNS, type FeatureRow, featureRow, PoisonedEntry } from '../../functions/features/featureRow.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import { readPages } from '../entries/readPages.ts';
import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Engine } from './engine.ts';

/**
 * Reads all entries, and makes the table `entries` of their feature rows, in memory only.
 * @returns the entries that get no row, or one that is not what the table says of them
 */
export async function loadRows(terminal: Terminal, target: Target, engine: Engine) {
  const add = await engine.table('entries', FEATURE_COLUMNS);
  const problems: (EntryKey & { hasRow: boolean })[] = [];
  for await (const { entries } of readPages(terminal, entriesReader(target.db, target.tables.aiLogs), {})) {
    const rows: FeatureRow[] = [];
    for (const entry of entries) {
      try {
        const { row, changed } = featureRow(entry);
        rows.push(row);
        if (changed.length > 0) problems.push({ uid: entry.uid, entryId: entry.entryId, hasRow: true });
      } catch (error) {
        if (!(error instanceof PoisonedEntry)) throw error;
        problems.push({ uid: entry.uid, entryId: entry.entryId, hasRow: false });
      }
    }
    await add(rows);
  }
  return problems;
}
