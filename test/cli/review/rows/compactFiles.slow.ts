import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  emptyManifest,
  type Manifest,
  type RowStore,
  rowStore,
  type StoredFile,
} from '../../../../cli/review/rows/rowStore.ts';
import { compactFiles, openTables, readFiles, storeQuery } from '../../../../cli/review/rows/rowTables.ts';
import { memoryFor, openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import { FEATURE_COLUMNS, type FeatureRow } from '../../../../functions/features/featureRow.ts';
import { readRows } from '../../../../functions/features/readRows.ts';
import { ENTRY_COLUMNS, LEAF_COLUMNS, rowFile, TEXT_COLUMNS } from '../../../../functions/features/rowFile.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const DAY = 'received_day=2025-11-13';
const OPEN = Date.parse('2025-11-13T12:00:00Z');
const CLOSED = Date.parse('2025-11-15T00:00:00Z');

const isOfDay = ({ name }: { readonly name: string }) => name.startsWith(`texts/${DAY}/`);

/** Opens a store with files, of which each kind has at least one. */
function openFiles(files: (store: ReturnType<typeof rowStore>) => readonly StoredFile[]) {
  const store = rowStore(temporaryFolder());
  const empty = [
    store.add('entries', rowFile(ENTRY_COLUMNS, []), 0),
    store.add('texts', rowFile(TEXT_COLUMNS, []), 0),
    store.add('leaves', rowFile(LEAF_COLUMNS, []), 0),
  ];
  return { store, manifest: { ...emptyManifest('test'), files: [...empty, ...files(store)] } };
}

/** Compacts files with an engine of its own. */
async function compact(store: RowStore, manifest: Manifest, now: number, { memory = 120, threads = 2 } = {}) {
  const engine = await openEngine({ folder: store.folder, memory, threads });
  return await compactFiles(engine, store, manifest, now).finally(() => engine.close());
}

test.each([
  [2, 250],
  [16, memoryFor(200_000, 16)],
])('texts of a day larger than the memory become one file, with %s threads in %s MB', async (threads, memory) => {
  const { store, manifest: empty } = openFiles(() => []);
  const making = await openTables(store, empty);
  const parts: StoredFile[] = [];
  for (let part = 0; part < 20; part += 1) {
    const texts = `SELECT '1' AS uid, CAST(n AS VARCHAR) AS entry_id, repeat(md5(CAST(n AS VARCHAR)), 60) AS search
      FROM range(${part * 10_000}, ${(part + 1) * 10_000}) AS numbers (n)`;
    parts.push(await storeQuery(making, store, `texts/${DAY}`, texts));
  }
  making.close();
  const manifest = { ...empty, files: [...empty.files, ...parts] };
  const { files, retired } = await compact(store, manifest, CLOSED, { memory, threads });
  const made = files.filter(isOfDay);
  expect([made.length, made[0]?.rows, retired.length]).toEqual([1, 200_000, 20]);
  const engine = await openEngine({ folder: store.folder });
  const read = engine.read(`SELECT count(DISTINCT entry_id) AS ids FROM ${await readFiles(store, made)}`);
  expect(await Array.fromAsync(read)).toEqual([{ ids: 200_000 }]);
  engine.close();
});

test('files become larger ones of at most half a million rows, and those that are nearly full stay', async () => {
  const text = (n: number) => ({ uid: '1', entry_id: String(n), search: 'x' });
  /** The numbers of rows that the manifest says, in thousands. Each file has one. */
  const thousands = [10, 200, 260, 240, 251, 500, 60];
  const { store, manifest } = openFiles((store) =>
    thousands.map((rows, index) => store.add('texts', rowFile(TEXT_COLUMNS, [text(index)]), rows * 1000, DAY)),
  );
  expect((await compact(store, manifest, OPEN)).files).toEqual(manifest.files);
  const { files } = await compact(store, manifest, CLOSED);
  expect(files.filter(isOfDay).map(({ rows }) => rows)).toEqual([260_000, 251_000, 500_000, 60_000, 3]);
  const full = { ...manifest, files: manifest.files.filter(({ rows }) => rows > 250_000) };
  expect(await compact(store, full, CLOSED)).toEqual(full);
});

test.each([
  ['48 of a day that is open', 48, '2025-11-13T12:00:00Z', 48],
  ['49 of a day that is open', 49, '2025-11-13T12:00:00Z', 1],
  ['two of a day that ended an hour ago', 2, '2025-11-14T01:00:00Z', 2],
  ['two of a day that ended earlier', 2, '2025-11-14T01:00:01Z', 1],
  ['one of a day that is closed', 1, '2025-11-15T00:00:00Z', 1],
])('of files, %s: with %s at %s, %s are left', async (_name, files, now, left) => {
  const row = { uid: '1', entry_id: '1', search: 'x' };
  const { store, manifest } = openFiles((store) =>
    Array.from({ length: files }, () => store.add('texts', rowFile(TEXT_COLUMNS, [row]), 1, DAY)),
  );
  const compacted = await compact(store, manifest, Date.parse(now));
  expect(compacted.files.filter(isOfDay)).toHaveLength(left);
});

test('the rows of larger files are sorted: leaves by their place, entries by team and id', async () => {
  const blank = { VARCHAR: '', BIGINT: 0n, INTEGER: 0, BOOLEAN: false, BINARY: new Uint8Array(32) };
  const ofTypes = Object.entries(FEATURE_COLUMNS).map(([name, type]) => [name, blank[type]]);
  const entryOf = (uid: string, entry_id: string) => ({ ...Object.fromEntries(ofTypes), uid, entry_id }) as FeatureRow;
  const ids = ['b2', 'a9', 'b1', 'a3'];
  const { store, manifest } = openFiles((store) => [
    ...ids.map(([uid = '', id = '']) => store.add('entries', rowFile(ENTRY_COLUMNS, [entryOf(uid, id)]), 1, DAY)),
    ...Array.from({ length: 49 }, (_, n) =>
      store.add('leaves', rowFile(LEAF_COLUMNS, [{ index: BigInt(48 - n), leaf: blank.BINARY }]), 1),
    ),
  ]);
  const { files } = await compact(store, manifest, CLOSED);
  const rowsIn = <Row>(start: string) => {
    const { name } = files.findLast((file) => file.name.startsWith(start)) as StoredFile;
    return readRows<Row>(readFileSync(join(store.folder, name)));
  };
  const entries = await rowsIn<FeatureRow>(`entries/${DAY}/`);
  expect(entries.map(({ uid, entry_id }) => uid + entry_id)).toEqual(ids.toSorted());
  const leaves = await rowsIn<{ index: bigint }>('leaves/');
  expect(leaves.map(({ index }) => Number(index))).toEqual([...Array(49).keys()]);
});
