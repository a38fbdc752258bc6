import type { FeatureRow } from '../features/featureRow.ts';
import { ENTRY_COLUMNS, rowFile, TEXT_COLUMNS, type TextRow } from '../features/rowFile.ts';
import type { RowBucket } from './rowBucket.ts';

export type IndexedRow = Readonly<{ row: FeatureRow; search: string }>;

/** The key of a row, which sorts as UID and entry id do. Rows with equal keys are the same entry. */
export const keyOf = ({ uid, entry_id }: Pick<TextRow, 'uid' | 'entry_id'>): string => `${uid} ${entry_id}`;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the day of a time, such as `2025-11-17` (UTC). @param ms milliseconds since 1970 */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Yields the files of rows and texts for each day on which entries were received, by UID and entry id. */
export function* dayFiles(rows: readonly IndexedRow[]) {
  for (const [day, unsorted] of Map.groupBy(rows, ({ row }) => dayOf(Number(row.received_at)))) {
    const ofDay = unsorted.toSorted((one, other) => compare(keyOf(one.row), keyOf(other.row)));
    const texts = ofDay.map(({ row: { uid, entry_id }, search }): TextRow => ({ uid, entry_id, search }));
    const entries = ofDay.map(({ row }) => row);
    yield {
      folder: `received_day=${day}`,
      rows: ofDay.length,
      texts: rowFile(TEXT_COLUMNS, texts),
      entries: rowFile(ENTRY_COLUMNS, entries),
    };
  }
}

/** Stores rows, each after its text, in a file per day. @param name of these rows, stored once @returns the days */
export async function storeRows(bucket: RowBucket, name: string, rows: readonly IndexedRow[]): Promise<number> {
  let days = 0;
  for (const { folder, texts, entries } of dayFiles(rows)) {
    days += 1;
    await bucket.create(`texts/${folder}/${name}.parquet`, texts);
    await bucket.create(`entries/${folder}/${name}.parquet`, entries);
  }
  return days;
}
