import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { notes, runCommand } from '../../setup/world.ts';
import { demoOf, newFolder, start } from './service.ts';

const cwd = newFolder();
const service = await start(cwd, { IP_QUOTA: '30', UID_QUOTA: '30', WINDOW_SECONDS: '20' });
afterAll(() => service.stop());
const ailog = (args: readonly string[], signal?: AbortSignal) => runCommand(args, { cwd, ...(signal && { signal }) });
const listed = async () => JSON.parse((await ailog(['allowlist', 'list', '--json'])).stdout);
const FIVE = ['ops', 'rehearse', '--teams', '5', '--minutes', '0.2'];

test('five teams upload, the report says how it went, and nothing of them is left', async () => {
  const { exitCode, stdout, stderr } = await ailog([...FIVE, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Removed: 5 teams, 7 logs.\n' });
  expect(JSON.parse(stdout)).toEqual({
    target: 'the local data',
    teams: 5,
    uploads: 7,
    accepted: 7,
    p50Ms: expect.any(Number),
    p99Ms: expect.any(Number),
    sentLateMs: expect.any(Number),
    removed: 7,
  });
  expect((await listed()).map(({ uid }: { uid: string }) => uid)).toEqual([demoOf(cwd).AILOG_UID]);
  expect((await ailog(FIVE)).stdout).toMatch(/^target +the local data\nteams +5\nuploads +7\naccepted +7\n/);
});

test('refused logs are counted by status and code', async () => {
  const { stdout } = await ailog([
    'ops',
    'rehearse',
    '--teams',
    '5',
    '--peak',
    '100',
    '--minutes',
    '0.2',
    '--json',
    '--in-one-second',
  ]);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ uploads: 100, '429 429': 100 - report.accepted });
  expect(report.accepted).toBeLessThanOrEqual(60);
});

test('after Ctrl-C, what was made is removed', async () => {
  const stop = new AbortController();
  const running = ailog(['ops', 'rehearse', '--teams', '3', '--minutes', '5'], stop.signal);
  while ((await listed()).length < 4) await sleep(100);
  stop.abort();
  expect(await running).toMatchObject(notes(130, /Removed: 3 teams, \d logs?\.\nInterrupted: there is no report\.\n$/));
  expect((await listed()).length).toBe(1);
});
