import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyOf, type Entry } from '../../../functions/ailog/entry.ts';
import { foldText } from '../../../functions/features/foldText.ts';
import { CUT } from '../../../functions/features/searchText.ts';
import { countOf, quoted, readBatches, rowsOf } from '../../store/duckdb/duckdb.ts';
import type { entriesReader } from '../../store/entries/entriesReader.ts';
import {
  type EntryFilter,
  type EntryKey,
  fieldsMatch,
  keyMatches,
  keyText,
  timeKey,
} from '../../store/entries/entryFilter.ts';
import { describeValues } from '../../store/entries/selectEntries.ts';
import { type ExportCounts, NO_COUNTS } from '../../store/exports/exportPage.ts';
import type { OpenRows } from './openRows.ts';

const BATCH = 200;

function sqlOf({ uids, orderId, since, until, stage, model }: EntryFilter): string {
  // Both in the lower case of SQL, which has one sigma for two and no dot above an i.
  const lower = (text: string) => `replace(lower(${text}), 'ς', 'σ')`;
  const contains = (column: string, part: string | undefined) =>
    part !== undefined && `contains(${lower(column)}, ${lower(quoted(copyOf(part)))})`;
  const conditions = [
    uids !== undefined && `uid IN (${['', ...uids].map(quoted).join(', ')})`,
    orderId !== undefined && `order_id = ${orderId}`,
    since !== undefined && `entry_id >= ${quoted(timeKey(since))}`,
    until !== undefined && `entry_id < ${quoted(timeKey(until))}`,
    contains('stage', stage),
    contains('model', model),
  ];
  return conditions.filter(Boolean).join(' AND ') || 'TRUE';
}

const matches = (entry: Entry, filter: EntryFilter): boolean =>
  keyMatches(entry, filter) &&
  fieldsMatch(entry, filter) &&
  (filter.orderId === undefined || entry.orderId === filter.orderId);

/**
 * Finds the entries that may match a filter, and contain a text, by their rows.
 * @param text compared as `foldText` makes it; undefined: any
 * @returns how many rows are sure to match and how many are not, and the entries, the newest first, as they are in the
 * table; undefined: one is not there any more. Those without a row are not sure
 */
export async function findCandidates(
  { engine, manifest }: OpenRows,
  reader: ReturnType<typeof entriesReader>,
  filter: EntryFilter,
  text?: string,
) {
  const { run, read } = engine;
  const folded = foldText(text ?? '');
  // Only the body has a text as it was sent, and invisible characters alone: every entry may have them.
  const isInRows = folded !== '' && !text?.includes('\\');
  const contains = `contains(search, ${quoted(folded)})`;
  const [tables, sure, maybe] = isInRows
    ? ['entries JOIN texts USING (uid, entry_id)', contains, `(${contains} OR ends_with(search, ${quoted(CUT)}))`]
    : ['entries', text === undefined ? 'TRUE' : 'FALSE', 'TRUE'];
  await run(`CREATE OR REPLACE TABLE candidates AS
    SELECT DISTINCT uid, entry_id AS "entryId", ${sure} AS sure FROM ${tables} WHERE ${sqlOf(filter)} AND ${maybe}`);
  for (const { uid, entryId } of manifest.problems) {
    // Its row is not that of the entry any more.
    await run(`DELETE FROM candidates WHERE uid = ${quoted(uid)} AND "entryId" = ${quoted(entryId)}`);
    await run(`INSERT INTO candidates SELECT ${quoted(uid)}, ${quoted(entryId)}, FALSE`);
  }
  const counts = { sure: 0, unsure: 0 };
  const totals = read<{ sure: boolean; n: number }>('SELECT sure, count(*) AS n FROM candidates GROUP BY sure');
  for await (const { sure, n } of totals) counts[sure ? 'sure' : 'unsure'] = n;

  async function* entries() {
    const query = 'SELECT * FROM candidates ORDER BY "entryId" DESC, uid';
    for await (const batch of readBatches<EntryKey & { sure: boolean }>(engine, query, BATCH)) {
      const stored = new Map((await reader.readAll(batch)).map((entry) => [keyText(entry), entry]));
      yield batch
        .map((key) => ({ entry: stored.get(keyText(key)), isSure: key.sure }))
        .filter(({ entry }) => entry === undefined || matches(entry, filter));
    }
  }
  return { counts, entries };
}

/** As `nameValues` of the table, which it does not read. */
export async function nameRowValues({ engine }: OpenRows, { stage, model, ...filter }: EntryFilter): Promise<string[]> {
  if (stage === undefined && model === undefined) return [];
  const valuesOf = async (column: string) => {
    const query = `SELECT DISTINCT ${column} AS value FROM entries WHERE ${sqlOf(filter)}`;
    return new Set((await rowsOf<{ value: string }>(engine, query)).map(({ value }) => value));
  };
  return describeValues({ stages: await valuesOf('stage'), models: await valuesOf('model') });
}

/** Writes the rows that match a filter as a Parquet file. @returns `damaged`: the entries that have no row */
export async function copyRows(
  { engine, store, manifest }: OpenRows,
  filter: EntryFilter,
  write: (bytes: Uint8Array) => void,
): Promise<ExportCounts> {
  // The engine writes nothing outside of its folder.
  const folder = join(store.folder, 'temporary', String(process.pid));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, 'export.parquet');
  const rows = `SELECT * FROM entries WHERE ${sqlOf(filter)} ORDER BY uid, entry_id`;
  try {
    await engine.run(`COPY (${rows}) TO ${quoted(own)} (FORMAT parquet, COMPRESSION zstd)`);
    for await (const chunk of createReadStream(own)) write(chunk);
  } finally {
    rmSync(own, { force: true });
  }
  const damaged = manifest.problems.filter((one) => !one.hasRow && keyMatches(one, filter)).length;
  return { ...NO_COUNTS, entries: await countOf(engine, `(${rows})`), damaged };
}
