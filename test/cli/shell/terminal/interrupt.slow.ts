import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  execute,
  folderOf,
  LOG,
  type LocalWorld,
  localWorld,
  MAIN,
  type TeamWorld,
  temporaryFolder,
  world,
} from '../../../setup/world.ts';

/** The program of util-linux that runs a command in a pseudo-terminal. */
const hasScript = (await execute(['script', '--version'])).stdout.includes('util-linux');

/** Starts `ailog` in a pseudo-terminal. */
function startInTerminal(args: readonly string[], { cwd = tmpdir(), env = {} as NodeJS.ProcessEnv }) {
  const line = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { screen: () => screen, press: (keys: string) => child.stdin.write(keys), ended };
}

const CTRL_C = '\x03';
const CTRL_D = '\x04';

describe.skipIf(!hasScript)('Ctrl-C under a progress bar and Ctrl-D, in a terminal', () => {
  let work: TeamWorld;
  let local: LocalWorld;
  beforeAll(async () => {
    work = await world().served();
    local = await localWorld();
  });
  beforeEach(() => work.way.plan());

  test('upload --dir stops between two logs: exit code 130, and no log is left in doubt', async () => {
    const team = await work.team();
    const folder = folderOf({ '1.json': LOG, '2.json': LOG.replace('决策', 'b') });
    work.way.plan({
      status: 503,
      headers: { 'Retry-After': '5' },
      body: '{"code":"40015","msg":"System busy, retry"}',
    });
    const running = startInTerminal(['upload', '--dir', folder], { env: work.environmentOf(team) });
    await expect.poll(running.screen).toContain('sending the same request again');
    running.press(CTRL_C);
    expect(await running.ended, running.screen()).toBe(130);
    const results = readFileSync(join(folder, 'ailog-results.jsonl'), 'utf8').trim().split('\n');
    expect(results.map((line) => JSON.parse(line)).map(({ file, state }) => `${file} ${state}`)).toEqual([
      '1.json sending',
      '1.json stored',
    ]);
    expect(existsSync(join(folder, 'ailog-results.jsonl.lock'))).toBe(false);
  });

  test('Ctrl-D at the second question: exit code 130, and the answer to the first changes nothing', async () => {
    await local.ailog(['allowlist', 'add', '81', '82']);
    await local.ailog(['allowlist', 'disqualify', '81', '--reason', 'a', '--yes']);
    await local.ailog(['allowlist', 'suspend', '82', '--reason', 'b']);
    const args = ['allowlist', 'add', '81', '82', '--local'];
    const running = startInTerminal(args, { cwd: local.folder, env: { DYNAMODB_ENDPOINT: local.endpoint } });
    // A question hides the cursor when it waits.
    const questions = () => running.screen().split('\x1b[?25l').length - 1;
    await expect.poll(questions).toBe(1);
    running.press('y');
    await expect.poll(questions).toBe(2);
    running.press(CTRL_D);
    expect(await running.ended, running.screen()).toBe(130);
    expect(running.screen()).toContain('Interrupted. Nothing was changed.');
    expect(running.screen()).not.toContain('Warning');
    expect((await local.ailog(['allowlist', 'show', '81'])).stdout).toContain('disqualified');
  });

  test.each([
    ['report', ['report', '--local']],
    ['logs export', ['logs', 'export', '--local', '--output', join(temporaryFolder(), 'all.jsonl')]],
  ])('%s: exit code 130', async (_name, args) => {
    // The table tells its size, which starts the bar, and then no longer answers.
    const table = await local.faulty();
    table.plan('pass', ...Array.from({ length: 20 }, () => 'hang' as const));
    const running = startInTerminal(args, { cwd: local.folder, env: { AWS_ENDPOINT_URL_DYNAMODB: table.url } });
    await expect.poll(() => table.seen().length).toBeGreaterThan(1);
    running.press(CTRL_C);
    expect(await running.ended, running.screen()).toBe(130);
    expect(running.screen()).toContain('Interrupted.');
  });
});
