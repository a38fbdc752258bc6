import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  countEntries,
  emptyManifest,
  filesOf,
  type Manifest,
  nameFiles,
  replaceFiles,
  rowStore,
  type StoredFile,
} from '../../../../cli/review/rows/rowStore.ts';
import { HOUR_MS, temporaryFolder } from '../../../setup/world.ts';
import { flipBit } from './rowsData.ts';

const file = (name: string, rows = 1): StoredFile => ({ name, rows, bytes: 1, sha256: '' });

test('files are replaced by others, and kept for those that read them', () => {
  const [a, b, c] = [file('entries/a'), file('texts/b'), file('entries/c')];
  const manifest: Manifest = { ...emptyManifest('table'), files: [a, b] };
  const replaced = replaceFiles(manifest, [a], [c], 7);
  expect([filesOf(replaced, 'entries'), filesOf(replaced, 'texts')]).toEqual([[c], [b]]);
  expect(replaced.retired).toEqual([{ name: a.name, at: 7 }]);
});

test('a message names three files, and counts the others', () => {
  const files = ['a', 'b', 'c', 'd'].map((name) => file(name));
  expect([files.slice(0, 3), files].map(nameFiles)).toEqual(['a, b, c', 'a, b, c, and 1 more']);
});

test('an entry has a row, or a problem instead', () => {
  const problem = { uid: '1', entryId: 'a', problem: 'damaged' };
  const problems = [problem, { ...problem, hasRow: true }];
  expect(countEntries({ ...emptyManifest('table'), files: [file('entries/a', 5), file('texts/a', 5)], problems })).toBe(
    6,
  );
});

test('a manifest is read as it was written, or is damaged', () => {
  const store = rowStore(temporaryFolder());
  const manifest = { ...emptyManifest('table'), files: [file('entries/a')] };
  expect(store.read()).toBeUndefined();
  store.commit(manifest);
  expect(store.read()).toEqual(JSON.parse(JSON.stringify(manifest)));
  flipBit(join(store.folder, 'manifest.json'), 801);
  expect(store.read()).toBe('damaged');
  writeFileSync(join(store.folder, 'manifest.json'), '{');
  expect(store.read()).toBe('damaged');
});

test('a file is damaged if a bit differs or it is gone, and cut if its size differs', async () => {
  const store = rowStore(temporaryFolder());
  const [whole, flipped, cut, gone] = ['a', 'b', 'c', 'd'].map((text) => store.add('entries', Buffer.from(text), 1));
  const files = [whole, flipped, cut, gone] as StoredFile[];
  expect(await store.findDamaged(files)).toEqual([]);
  flipBit(join(store.folder, flipped?.name ?? ''), 0);
  writeFileSync(join(store.folder, cut?.name ?? ''), '');
  rmSync(join(store.folder, gone?.name ?? ''));
  expect([store.findCut(files), await store.findDamaged(files)]).toEqual([
    [cut, gone],
    [flipped, cut, gone],
  ]);
});

test('a retired file stays for an hour, by any clock, and one that no manifest names goes', () => {
  const store = rowStore(temporaryFolder());
  mkdirSync(join(store.folder, 'near'));
  const now = 10 * HOUR_MS;
  const ages = { young: HOUR_MS - 1, old: HOUR_MS, ahead: 1 - HOUR_MS, farAhead: -HOUR_MS };
  const retired = Object.entries(ages).map(([name, age]) => ({ name: `near/${name}.parquet`, at: now - age }));
  const names = [...retired.map(({ name }) => name), 'near/named.parquet', 'near/unnamed.parquet.new', 'near/notes'];
  for (const name of names) writeFileSync(join(store.folder, name), '');
  const swept = store.sweep({ ...emptyManifest('table'), files: [file('near/named.parquet')], retired }, now);
  const kept = ['near/young.parquet', 'near/ahead.parquet'];
  expect(swept.retired.map(({ name }) => name)).toEqual(kept);
  expect(names.filter((name) => existsSync(join(store.folder, name)))).toEqual([
    ...kept,
    'near/named.parquet',
    'near/notes',
  ]);
  expect(readFileSync(join(store.folder, 'near/notes'), 'utf8')).toBe('');
});
