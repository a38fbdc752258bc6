import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readDemo } from '../../cli/store/targets/data.ts';
import { execute, logText, type Running, start } from '../setup/world.ts';

/** The installation and the folder that commands run in. */
const home = mkdtempSync(join(tmpdir(), 'ailog-production-'));
/** The environment of a user: without the programs of this checkout, so that the system's Node runs npm and npx. */
const env = {
  HOME: process.env.HOME,
  PATH: process.env.PATH?.split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
};
const ailog = (...args: string[]) => execute(['npx', 'ailog', ...args], { cwd: home, env });

let service: Running;
beforeAll(async () => {
  for (const path of ['package.json', 'package-lock.json', 'cli', 'functions', 'infra']) {
    cpSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), join(home, path), { recursive: true });
  }
  const { exitCode, stderr } = await execute(['npm', 'ci', '--omit=dev', '--prefer-offline'], { cwd: home, env });
  expect(exitCode, stderr).toBe(0);
  const program = [join(home, 'node_modules/.bin/node'), 'cli/local/start.ts'];
  service = start(program, { cwd: home, env: { ...env, PORT: '0' } });
  const answers = async () => {
    const { AILOG_URL = '' } = readDemo(join(home, '.local/demo.env')) ?? {};
    return fetch(AILOG_URL).then(
      () => true,
      () => false,
    );
  };
  await vi.waitUntil(answers, { timeout: 60_000, interval: 100 });
});
afterAll(async () => {
  service?.kill('SIGTERM');
  await service?.ended;
  rmSync(home, { recursive: true, force: true });
});

test('npx ailog runs without development packages, on any Node that npm runs on', async () => {
  const { exitCode, stdout } = await ailog('--help');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Usage: ailog')]);
});

test('an older Node that runs the program itself says what to do', async () => {
  const { exitCode, stderr, stdout } = await execute(['node', 'cli/ailog.js', '--help'], { cwd: home, env });
  const version = await execute(['node', '--version'], { cwd: home, env });
  if (Number.parseInt(version.stdout.slice(1), 10) >= 24) expect(stdout).toContain('Usage: ailog');
  else expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Run npx ailog')]);
});

test('a log is uploaded to the local run and listed', async () => {
  writeFileSync(join(home, 'log.json'), logText({ model: 'GPT-5' }));
  const uploaded = await ailog('upload', 'log.json', '--json');
  expect(uploaded.exitCode, uploaded.stderr).toBe(0);
  const listed = await ailog('logs', 'list', '--local', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ entryId: JSON.parse(uploaded.stdout).entryId, model: 'GPT-5' }]);
});
