import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lock } from '../../../cli/shell/files/lock.ts';
import { localPaths } from '../../../cli/store/targets/data.ts';
import { execute, localWorld, MAIN, type Team } from '../../setup/world.ts';
import { openConsole } from './openConsole.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

/** Opens local data whose engine stops when the test ends. */
async function openData() {
  const local = await localWorld();
  onTestFinished(() => local.close());
  return local;
}

async function open(folder: string, args: readonly string[] = []) {
  const console = await openConsole(folder, args);
  onTestFinished(async () => void (await console.end()));
  return console;
}

test('an order list that its owner changes is read again, and one that is gone is named', async () => {
  const other = await openData();
  const { uid } = await other.oldTeam();
  const write = (...ids: number[]) =>
    other.file('mine.csv', `uid,order_id,time\n${ids.map((id) => `${uid},${id},2025-11-14T10:00:00Z\n`).join('')}`);
  const path = write(1);
  expect((await other.ailog(['data', 'sync'])).exitCode).toBe(0);
  const console = await open(other.folder, ['--no-sync', '--orders', path]);
  const orders = async () => {
    await console.post('syncNow', {});
    return (await console.get('board')).answer.teams.find((one: { uid: string }) => one.uid === uid).orders;
  };
  expect(await orders()).toBe(1);
  write(1, 2, 3);
  await expect.poll(orders).toBe(3);
  rmSync(path);
  await console.post('syncNow', {});
  const problem = async () => (await console.get('status')).answer.problem?.message;
  await expect.poll(problem).toMatch(/mine\.csv/);
  expect(await orders()).toBe(3);
});

test('entries are not read again after their rows were deleted, until somebody asks for it', async () => {
  const other = await openData();
  const team = await other.oldTeam();
  await other.uploadAt(team, T0, { orderId: 0, explanation: 'plain words' });
  const console = await open(other.folder);
  const state = async () => (await console.get('status')).answer;
  const hits = async () => (await console.get('search', { q: 'plain' })).answer.hits;
  // A sync that takes long has figures made while it reads, and again at its end.
  await expect.poll(async () => (await state()).view).toBeGreaterThan(0);
  await expect.poll(async () => (await state()).sync.doing).toBe('waiting');
  rmSync(join(other.folder, localPaths.rows), { recursive: true });
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
});

test('waits for another process that reads new entries, and names no process and no lock', async () => {
  const other = await openData();
  await other.uploadAt(await other.oldTeam(), T0, { orderId: 0 });
  const unlock = await lock(join(other.folder, localPaths.rows), 0, { doing: 'reading new entries', is: 'a sync' });
  const consoles = [await open(other.folder), await open(other.folder)];
  const states = () => Promise.all(consoles.map(async (one) => (await one.get('status')).answer));
  // As long as those of the consoles take to find the lock.
  for (const _ of consoles) {
    const env = { ...process.env, DYNAMODB_ENDPOINT: other.endpoint };
    const { stderr } = await execute([process.execPath, MAIN, 'data', 'sync'], { cwd: other.folder, env });
    expect(stderr).toMatch(/^Process \d+ is already reading new entries\./);
  }
  for (const { sync, problem } of await states())
    expect([sync.doing, sync.problem, problem]).toEqual(['reading', undefined, undefined]);
  unlock();
  for (const one of consoles) expect((await one.get('board')).answer.teams[0].entries).toBe(1);
  await expect
    .poll(async () => (await states()).map(({ sync }) => [sync.doing, sync.problem]))
    .toEqual([
      ['waiting', undefined],
      ['waiting', undefined],
    ]);
});

test('a change of the allowlist appears while the console is open', async () => {
  const other = await openData();
  const { uid } = await other.oldTeam();
  expect((await other.ailog(['data', 'sync'])).exitCode).toBe(0);
  const console = await open(other.folder, ['--no-sync']);
  const team = async () => {
    const { teams } = (await console.get('board')).answer;
    const { team, status } = teams.find((one: Team) => one.uid === uid);
    return [team, status];
  };
  expect(await team()).toEqual([null, 'approved']);
  await other.allowlist.put({ uid, status: 'disqualified', team: 'Renamed', reason: 'late' });
  await console.post('syncNow', {});
  await expect.poll(team).toEqual(['Renamed', 'disqualified']);
});

test('new entries appear once, while the console is open, and a report runs beside it', async () => {
  const other = await openData();
  const team = await other.oldTeam();
  await other.uploadAt(team, T0, { orderId: 0 });
  const console = await open(other.folder);
  const logs = async () => (await console.get('board')).answer.teams[0].entries;
  const state = async () => (await console.get('status')).answer;
  expect(await logs()).toBe(1);
  await expect.poll(async () => (await state()).sync.doing).toBe('waiting');
  const { view } = await state();
  await other.uploadAt(team, Date.now(), { orderId: 0, output: { n: 2 } });
  expect((await console.post('syncNow', {})).status).toBe(200);
  // Reads beside the change of views: none fails.
  await expect.poll(logs).toBe(2);
  // A sync that takes long has figures made while it reads, and again at its end.
  expect((await state()).view).toBeGreaterThan(view);
  expect((await console.get('search', { q: 'r' })).answer.hits).toHaveLength(2);
  expect((await other.ailog(['report', '--json'])).exitCode).toBe(0);
  expect(await logs()).toBe(2);
  // Asked for while a sync reads: another one follows.
  expect((await console.post('syncNow', {})).status).toBe(200);
  await expect.poll(async () => (await state()).sync.doing).toBe('reading');
  const asked = Date.now();
  expect((await console.post('syncNow', {})).status).toBe(200);
  await expect.poll(async () => (await state()).sync.readAt).toBeGreaterThanOrEqual(asked);
});

test('without rows and without a sync, every screen says what to do', async () => {
  const other = await openData();
  const { uid } = await other.oldTeam();
  const console = await open(other.folder, ['--no-sync']);
  expect(await console.get('board')).toEqual({
    status: 400,
    answer: {
      outcome: 'usage',
      message: 'There are no rows of the local data on this machine.',
      advice: 'Start ailog console without --no-sync.',
    },
  });
  // A list that is dropped now waits for the rows.
  const list = { name: 'early.csv', text: `uid,order_id,time\n${uid},5,2025-11-14T10:00:00Z\n` };
  expect((await console.post('addOrders', list)).status).toBe(200);
  expect((await other.ailog(['data', 'sync'])).exitCode).toBe(0);
  await console.post('syncNow', {});
  await expect.poll(async () => (await console.get('status')).answer.view).toBe(1);
  expect((await console.get('status')).answer.orders).toEqual([{ name: 'early.csv' }]);
  expect((await console.get('board')).answer.hasOrders).toBe(true);
  // The figures stay, and no list counts that they do not have.
  rmSync(join(other.folder, localPaths.rows), { recursive: true });
  const late = { name: 'late.csv', text: list.text.replace(',5,', ',6,') };
  const refused = await console.post('addOrders', late);
  expect([refused.status, refused.answer.message]).toEqual([400, expect.stringMatching(/^There are no rows of/)]);
  expect((await console.get('status')).answer.orders).toEqual([{ name: 'early.csv' }]);
  expect((await other.ailog(['data', 'sync'])).exitCode).toBe(0);
  // A list that was dropped is gone with the rows.
  await console.post('syncNow', {});
  await expect
    .poll(async () => (await console.get('status')).answer.problem)
    .toEqual({ message: 'There is no file early.csv.', advice: 'Leave the order list out, or add it again.' });
  expect((await console.post('addOrders', list)).status).toBe(200);
  expect((await console.post('addOrders', late)).status).toBe(200);
  expect((await console.get('status')).answer.orders).toEqual([{ name: 'early.csv' }, { name: 'late.csv' }]);
});
