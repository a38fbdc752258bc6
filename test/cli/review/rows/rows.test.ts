import { afterAll, expect, test } from 'vitest';
import {
  emptyManifest,
  filesOf,
  type Manifest,
  nameFiles,
  replaceFiles,
} from '../../../../cli/review/rows/rowStore.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { openRowsData } from './rowsData.ts';

const data = await openRowsData();
afterAll(() => data.engine.stop());
const ids: string[] = [];
for (const stage of ['Idea', 'Decision', 'Decision'])
  ids.push(await data.upload({ stage, explanation: `${stage} ünlike` }));
await data.sequence();
/** The first sync is that of a search. */
const ran = await data.ailog(['logs', 'list', 'UNLIKE', '--json']);

test('a sync makes rows, status proves them, and search and list find by them', async () => {
  expect(ran.stderr).toMatch(/^3 new entries in \d+ s\.\n$/);
  expect(JSON.parse(ran.stdout).map(({ entryId }: { entryId: string }) => entryId)).toEqual(ids.toReversed());
  const list = await data.ailog(['logs', 'list', '--stage', 'decision', '--no-sync', '--limit', '1', '--json']);
  expect([list.stderr, JSON.parse(list.stdout)]).toEqual(['', [expect.objectContaining({ entryId: ids[2] })]]);
  const status = JSON.parse((await data.ailog(['data', 'sync', '--check', '--json'])).stdout);
  expect(status).toMatchObject({ rows: 3, rootMatches: true, tlog: { logged: 3, pending: 0, differs: 0, missing: 0 } });
});

test('every sync says until when the rows are complete', async () => {
  await data.ailog(['data', 'sync']);
  data.changeManifest({ until: 0 });
  await data.ailog(['data', 'sync']);
  expect(data.manifest().until).toBe(data.newest().cursor - 5 * MINUTE_MS);
});

test('files are replaced by others, and kept for those that read them', () => {
  const file = (name: string) => ({ name, rows: 1, bytes: 1, sha256: '' });
  const [a, b, c] = [file('entries/a'), file('texts/b'), file('entries/c')];
  const manifest: Manifest = { ...emptyManifest('table'), files: [a, b] };
  const replaced = replaceFiles(manifest, [a], [c], 7);
  expect([filesOf(replaced, 'entries'), filesOf(replaced, 'texts')]).toEqual([[c], [b]]);
  expect(replaced.retired).toEqual([{ name: a.name, at: 7 }]);
});

test('a message names three files, and counts the others', () => {
  const files = ['a', 'b', 'c', 'd'].map((name) => ({ name, rows: 1, bytes: 1, sha256: '' }));
  expect([files.slice(0, 3), files].map(nameFiles)).toEqual(['a, b, c', 'a, b, c, and 1 more']);
});
