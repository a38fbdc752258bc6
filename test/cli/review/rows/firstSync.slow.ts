import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesOf } from '../../../../cli/review/rows/rowStore.ts';
import { execute, start } from '../../../setup/world.ts';
import { openRowsData } from './rowsData.ts';

const data = await openRowsData();

test('the rows of an empty table are complete', async () => {
  expect((await data.ailog(['data', 'sync'])).exitCode).toBe(0);
  expect(data.manifest().after).toBeUndefined();
  rmSync(data.rowsFolder, { recursive: true });
});

test('a first sync that was interrupted continues after the last team whose rows it stored', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 24; n += 1) ids.push(await data.upload({}, await data.oldTeam()));
  await data.sequence();
  const table = await data.faulty();
  // Parts of four rows.
  const [often, options] = [data.often(4), data.options(table.url)];
  expect((await execute(often, options)).stderr).toMatch(/^24 new entries /);
  const requests = table.seen().length;
  rmSync(data.rowsFolder, { recursive: true });

  table.plan(...Array(Math.floor(requests / 2)).fill('pass'), ...Array(requests).fill('hang'));
  const running = start(often, options);
  const afterOf = () => (data.store.read() === undefined ? undefined : data.manifest().after);
  await expect.poll(afterOf).toEqual({ uid: expect.any(String), entryId: '' });
  running.kill('SIGKILL');
  await running.ended;
  const stored = await data.ids();
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.length).toBeLessThan(24);
  table.plan();
  const { uid } = data.manifest().after as { uid: string };
  const { stderr } = await execute(often, options);
  expect(stderr).toMatch(
    new RegExp(`^Continuing the first sync after UID ${uid}\\.\n${24 - stored.length} new entries `),
  );
  expect(await data.ids()).toEqual(ids.toSorted());
});

test('a day has few files, however many parts of a first sync have rows of it', async () => {
  rmSync(data.rowsFolder, { recursive: true });
  for (let n = 24; n < 50; n += 1) await data.upload({}, await data.oldTeam());
  await data.sequence();
  const { stderr } = await execute(data.often(1), data.options());
  expect(stderr).toMatch(/^50 new entries /);
  for (const kind of ['entries', 'texts'] as const)
    expect(filesOf(data.manifest(), kind).map(({ rows }) => rows)).toEqual([0, 49, 1]);
});
