import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, quoted } from '../../store/duckdb/duckdb.ts';
import { type EntryFilter, keyMatches } from '../../store/entries/entryFilter.ts';
import { type ExportCounts, NO_COUNTS } from '../../store/exports/exportPage.ts';
import { sqlOf } from './findCandidates.ts';
import type { OpenRows } from './openRows.ts';

/** Writes the rows that match a filter to a Parquet file. @returns `damaged`: the entries that have no row */
export async function copyRows(
  { engine, store, manifest }: OpenRows,
  filter: EntryFilter,
  path: string,
): Promise<ExportCounts> {
  // The engine writes nothing outside of its folder.
  const folder = join(store.folder, 'temporary', String(process.pid));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, 'export.parquet');
  const rows = `SELECT * FROM entries WHERE ${sqlOf(filter)} ORDER BY uid, entry_id`;
  try {
    await engine.run(`COPY (${rows}) TO ${quoted(own)} (FORMAT parquet, COMPRESSION zstd)`);
    copyFileSync(own, path);
  } finally {
    rmSync(own, { force: true });
  }
  const damaged = manifest.problems.filter((one) => !one.hasRow && keyMatches(one, filter)).length;
  return { ...NO_COUNTS, entries: await countOf(engine, `(${rows})`), damaged };
}
