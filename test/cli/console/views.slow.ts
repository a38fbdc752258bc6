import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localPaths } from '../../../cli/target/data.ts';
import { openLocalData } from '../../setup/commandLine.ts';
import { oldTeam, uploadAt } from '../logs/entries.ts';
import { openConsole } from './openConsole.ts';

test('an order list that its owner changes is read again, and one that is gone is named', async () => {
  const other = await openLocalData();
  const { uid } = await oldTeam(other.fixture);
  const write = (...ids: number[]) =>
    other.file('mine.csv', `uid,order_id,time\n${ids.map((id) => `${uid},${id},2025-11-14T10:00:00Z\n`).join('')}`);
  const path = write(1);
  expect((await other.ailog(['data', 'sync'])).exitCode).toBe(0);
  const console = await openConsole(other.folder, ['--no-sync', '--orders', path]);
  const orders = async () => {
    await console.post('syncNow', {});
    return (await console.get('board')).answer.teams.find((one: { uid: string }) => one.uid === uid).orders;
  };
  try {
    expect(await orders()).toBe(1);
    write(1, 2, 3);
    await expect.poll(orders).toBe(3);
    rmSync(path);
    await console.post('syncNow', {});
    const problem = async () => (await console.get('status')).answer.problem?.message;
    await expect.poll(problem).toMatch(/mine\.csv/);
    expect(await orders()).toBe(3);
  } finally {
    await console.end();
    await other.engine.stop();
  }
});

test('entries are not read again after a purge, until somebody asks for it', async () => {
  const other = await openLocalData();
  const team = await oldTeam(other.fixture);
  await uploadAt(other.fixture, team, Date.parse('2025-11-14T09:00:00Z'), { orderId: 0, explanation: 'plain words' });
  const console = await openConsole(other.folder);
  const state = async () => (await console.get('status')).answer;
  const hits = async () => (await console.get('search', { q: 'plain' })).answer.hits;
  try {
    // A sync that takes long has figures made while it reads, and again at its end.
    await expect.poll(async () => (await state()).view).toBeGreaterThan(0);
    await expect.poll(async () => (await state()).sync.doing).toBe('waiting');
    expect((await other.ailog(['data', 'purge'])).exitCode).toBe(0);
    expect(await console.get('search', { q: 'plain' })).toMatchObject({
      status: 400,
      answer: { message: 'There are no rows of the local data on this machine.' },
    });
    expect((await console.get('board')).answer.teams[0].entries).toBe(1);
    expect((await state()).problem.message).toMatch(/^There are no rows of/);
    expect(existsSync(join(other.folder, localPaths.rows))).toBe(false);
    await console.post('syncNow', {});
    await expect.poll(hits).toHaveLength(1);
    await expect.poll(async () => (await state()).problem).toBeUndefined();
  } finally {
    await console.end();
    await other.engine.stop();
  }
});
