import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../setup/commandLine.ts';
import { execute, MAIN } from '../../setup/execute.ts';
import { notes } from '../../setup/outcome.ts';
import { demoOf, newFolder, start } from './service.ts';

const cwd = newFolder();
const service = await start(cwd, { IP_QUOTA: '30', UID_QUOTA: '30', WINDOW_SECONDS: '20' });
afterAll(() => service.stop());
const ailog = (args: readonly string[], signal?: AbortSignal) => runCommand(args, { cwd, ...(signal && { signal }) });
const listed = async () => JSON.parse((await ailog(['allowlist', 'list', '--json'])).stdout);
const FIVE = ['ops', 'rehearse', '--teams', '5', '--minutes', '0.2'];

test('five teams upload, the report says how it went, and nothing of them is left', async () => {
  // The time of its process counts as that of its uploads, so it has one of its own.
  const program = [process.execPath, MAIN, ...FIVE, '--json', '-o', 'report.txt'];
  const { exitCode, stdout, stderr } = await execute(program, { cwd, env: {} });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: 'Teams made: 5. Uploading 7 logs, for 0.2 min.\nRemoved: 5 teams, 7 logs.\nWritten to report.txt.\n',
  });
  const times = { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) };
  const report = JSON.parse(stdout);
  expect(report).toEqual({
    target: 'the local data',
    began: expect.stringMatching(/Z$/),
    ended: expect.stringMatching(/Z$/),
    uploads: 7,
    accepted: 7,
    refused: {},
    withoutReceipt: 0,
    answerMs: times,
    answerMsInPeak: times,
    sentLateMs: expect.any(Number),
    cpuMs: expect.any(Number),
    machines: expect.any(Number),
    tlog: { lagMs: expect.any(Number), lastLoggedMs: expect.any(Number) },
    dollars: expect.closeTo(0.0001, 4),
    removed: 7,
  });
  expect(report.tlog.lagMs).toBeGreaterThan(0);
  const kept = readFileSync(join(cwd, 'report.txt'), 'utf8');
  expect(kept).toMatch(/^rehearsal of +the local data\ntime +\S+Z to \S+Z\n/);
  expect(kept).toMatch(/^demand +5 teams, 1 a minute each for 0\.2 min\nbusiest minute +7 times as many$/m);
  expect(kept).toMatch(/^accepted +7$/m);
  expect(kept).toMatch(/^removed +5 teams, 7 logs$/m);
  expect((await listed()).map(({ uid }: { uid: string }) => uid)).toEqual([demoOf(cwd).AILOG_UID]);
  expect(kept.split('\n').filter((line) => line.length > 80)).toEqual([]);
  // All of them are in the transparency log, which forgets nothing.
  expect(JSON.parse((await ailog(['tlog', 'status', '--json'])).stdout).size).toBeGreaterThanOrEqual(7);
  expect(await ailog([...FIVE, '-o', 'report.txt'])).toMatchObject(notes(2, 'report.txt already exists'));
});

test.runIf(process.platform !== 'win32')('the report is printed also if the disk is full in the end', async () => {
  // A limit on the size of files takes the place of a full disk.
  const program = ['sh', '-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, MAIN, ...FIVE, '-o', 'full.txt'];
  const { exitCode, stdout, stderr } = await execute(program, { cwd, env: {} });
  const path = join(realpathSync(cwd), 'full.txt');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`\nThe file ${path} cannot be used: it would be larger than a file may be (EFBIG).\n`),
  ]);
  expect(stdout).toMatch(/^rehearsal of +the local data\n.*^accepted +7$.*^removed +5 teams, 7 logs$/ms);
  expect(readdirSync(cwd)).not.toContain('full.txt');
});

test('refused logs are counted by status and code, and the quota of an address decides about machines', async () => {
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
  expect(report.refused).toEqual({ [Object.keys(report.refused)[0] as string]: 100 - report.accepted });
  expect(Object.keys(report.refused)[0]).toMatch(/^429 \d+$/);
  expect(report.accepted).toBeLessThanOrEqual(60);
  expect(report.machines).toBeGreaterThanOrEqual(Math.ceil(500 / 30));
  expect(readdirSync(cwd).filter((name) => /^rehearsal-[\dTZ-]+\.txt$/.test(name))).toHaveLength(1);
});

test('after Ctrl-C, what was made is removed', async () => {
  const stop = new AbortController();
  const running = ailog(['ops', 'rehearse', '--teams', '3', '--minutes', '5'], stop.signal);
  while ((await listed()).length < 4) await sleep(100);
  stop.abort();
  expect(await running).toMatchObject(notes(130, /Removed: 3 teams, \d logs?\.\nInterrupted: there is no report\.\n$/));
  expect((await listed()).length).toBe(1);
});
