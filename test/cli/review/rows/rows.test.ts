import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../setup/time.ts';
import { openRowsData } from './rowsData.ts';

const data = await openRowsData();
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

test.each([
  ['this version makes other rows', { rowVersion: 0 }],
  ['the table is another one', { source: 'another table' }],
  ['a rehearsal has removed its logs', { rehearsed: 1 }],
])('rows are made again because %s', async (why, change) => {
  const { source, rowVersion, rehearsed, files: before } = data.manifest();
  data.changeManifest(change);
  const { stderr } = await data.ailog(['data', 'sync']);
  expect(stderr).toMatch(new RegExp(`^The rows are made again: ${why}\\.\n[3-9] new entries`));
  const { files, retired, ...made } = data.manifest();
  expect(made).toMatchObject({ source, rowVersion, rehearsed });
  // A report that reads the files of before can go on.
  for (const { name } of before) {
    expect([files, retired].map((all) => all.some((file) => file.name === name))).toEqual([false, true]);
    expect(existsSync(join(data.rowsFolder, name))).toBe(true);
  }
});

test('an entry that is damaged or was changed is a problem until it is whole again, and a check says what is left', async () => {
  const own = await openRowsData();
  const [changed, damaged] = [await own.upload(), await own.upload()];
  const { body, stage } = await own.stored(damaged);
  const tamper = (entryId: string, change: object) => own.tamper({ uid: own.owner.uid, entryId }, { ...change });
  const problems = async (...options: string[]) => {
    const { exitCode, stdout } = await own.ailog(['data', 'sync', '--json', ...options]);
    return [exitCode, ...JSON.parse(stdout).problems.map(({ entryId }: { entryId: string }) => entryId)];
  };
  await tamper(damaged, { body: new Uint8Array(3) });
  expect(await problems()).toEqual([1, damaged]);
  await tamper(damaged, { body });
  await tamper(changed, { stage: 'other' });
  expect(await problems('--whole')).toEqual([1, changed]);
  await tamper(changed, { stage });
  expect(await problems('--whole')).toEqual([0]);
  await own.sequence();
  const check = async () => {
    const { exitCode, stdout } = await own.ailog(['data', 'sync', '--check', '--json']);
    const { complete, newerLeaves } = JSON.parse(stdout);
    return { exitCode, complete, newerLeaves };
  };
  expect(await check()).toEqual({ exitCode: 0, complete: true, newerLeaves: 2 });
  own.changeManifest({ after: { uid: own.owner.uid, entryId: changed } });
  expect(await check()).toEqual({ exitCode: 1, complete: false, newerLeaves: 2 });
});
