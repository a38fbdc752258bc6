import { hash } from 'node:crypto';
import pMap from 'p-map';
import type { FeatureRow } from '../features/featureRow.ts';
import { readRows } from '../features/readRows.ts';
import { type Columns, ENTRY_COLUMNS, openRowFile, TEXT_COLUMNS, type TextRow } from '../features/rowFile.ts';
import type { RowBucket } from './rowBucket.ts';
import { dayOf, keyOf } from './rowFolders.ts';

/** The rows of a row group. All of them are in memory: 1 KB each, and texts of up to 8 KB. */
const GROUP_ROWS = 100_000;

type Key = Pick<TextRow, 'uid' | 'entry_id'>;

const readKeys = async (bytes: Uint8Array): Promise<string[]> =>
  (await readRows<Key>(bytes, { columns: ['uid', 'entry_id'] })).map(keyOf);

/** Compacted files come first, so that a row that was made again replaces the one in them. */
const compactedFirst = (one: string, other: string): number =>
  Number(other.includes('/day-')) - Number(one.includes('/day-'));

/**
 * Replaces the files of a folder by one with a row per key. They are removed after it is stored, read back and counted:
 * readers see doubles at most. @returns `doubles`: the rows that were in more than one file
 */
async function compactFolder<Row extends Key>(
  bucket: RowBucket,
  folder: string,
  { names: unordered, columns }: { names: readonly string[]; columns: Columns<Row> },
) {
  const names = unordered.toSorted(compactedFirst);
  const files = await pMap(names, (name) => bucket.get(name), { concurrency: 16 });
  const keys = await pMap(files, readKeys, { concurrency: 1 });
  const rows = keys.flat();
  const distinct = [...new Set(rows)].sort();

  const file = openRowFile(columns);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < distinct.length; at += GROUP_ROWS) {
    const group = new Map<string, Row | undefined>(distinct.slice(at, at + GROUP_ROWS).map((key) => [key, undefined]));
    for (const [index, bytes] of files.entries()) {
      const ofFile = keys[index] as string[];
      const rowStart = ofFile.findIndex((key) => group.has(key));
      if (rowStart === -1) continue;
      const rowEnd = ofFile.findLastIndex((key) => group.has(key)) + 1;
      for (const row of await readRows<Row>(bytes, { rowStart, rowEnd })) {
        if (group.has(keyOf(row))) group.set(keyOf(row), row);
      }
    }
    file.write([...group.values()] as Row[]);
    parts.push(file.take());
  }
  file.finish();
  parts.push(file.take());

  const name = `${folder}/day-${hash('sha256', names.toSorted().join()).slice(0, 32)}.parquet`;
  await bucket.create(name, Buffer.concat(parts));
  const stored = new Set(await readKeys(await bucket.get(name)));
  if (stored.size !== distinct.length) {
    throw new Error(`${name} has ${stored.size} rows instead of ${distinct.length}: nothing was removed.`);
  }
  await pMap(names, (old) => bucket.remove(old), { concurrency: 16 });
  return { folder, files: names.length, rows: distinct.length, doubles: rows.length - distinct.length };
}

/** Compacts each closed day that has several files. @param options `hasTime`: false ends the run before the next */
export async function compactDays(bucket: RowBucket, { now, hasTime }: { now: number; hasTime: () => boolean }) {
  const compacted: Awaited<ReturnType<typeof compactFolder>>[] = [];
  const kinds: readonly [string, Columns<FeatureRow> | Columns<TextRow>][] = [
    ['texts/', TEXT_COLUMNS],
    ['entries/', ENTRY_COLUMNS],
  ];
  for (const [kind, columns] of kinds) {
    const folders = Map.groupBy(await bucket.list(kind), (name) => name.slice(0, name.lastIndexOf('/')));
    for (const [folder, names] of folders) {
      const isClosed = folder < `${kind}received_day=${dayOf(now)}`;
      if (!isClosed || names.length < 2 || !hasTime()) continue;
      compacted.push(await compactFolder(bucket, folder, { names, columns: columns as Columns<Key> }));
    }
  }
  return compacted;
}
