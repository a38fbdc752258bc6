import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LOADED = join(mkdtempSync(join(tmpdir(), 'ailog-cdk-')), 'loaded');

/** Run first by every Node process of a script: notes each module of CDK that the process loads. Node 20 runs npm alone. */
const NOTE_CDK = `
  import { appendFileSync } from 'node:fs';
  import module from 'node:module';
  module.registerHooks?.({
    load(url, context, next) {
      if (/node_modules.aws-cdk/.test(url)) appendFileSync(${JSON.stringify(LOADED)}, url + '\\n');
      return next(url, context);
    },
  });`;

/** Runs an npm script as an operator does. Returns its output, its exit code, and the modules of CDK that it loaded. */
const npmRun = (...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string; loaded: string }>((resolve) => {
    writeFileSync(LOADED, '');
    const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTE_CDK)}` };
    execFile('npm', ['run', '--silent', ...args], { cwd: ROOT, env, timeout: 60_000 }, (error, stdout, stderr) => {
      const lines = stderr.trimEnd().split('\n');
      resolve({
        code: error === null ? 0 : Number(error.code ?? -1),
        stdout,
        stderr: lines.filter((line) => !line.startsWith('npm warn ')).join('\n'),
        loaded: readFileSync(LOADED, 'utf8'),
      });
    });
  });

describe.each(['deploy', 'synth'])('npm run %s', (script) => {
  test.each([
    [['-c', 'uidQuota=many'], 'Setting uidQuota is "many": it must be an integer from 1 to 1000000.'],
    [['--context', 'waf=on'], 'Setting waf is "on": it must be true or false.'],
    [['--context=waf=on', '-cstage=X', '-c', 'stage=dev'], 'Setting waf is "on": it must be true or false.'],
    [['-c', 'alarmEmail=a=b'], 'Setting alarmEmail is "a=b": it must be an email address.'],
    [['-c', 'warmThroughput=9000'], /^Setting warmThroughput is 9000, but apiRateLimit is 2500: .*$/],
  ])('with %j fails with its message alone, and does not load CDK', async (args, message) => {
    const { code, stdout, stderr, loaded } = await npmRun(script, '--', ...args);

    expect([code, stdout]).toEqual([1, '']);
    if (message instanceof RegExp) expect(stderr).toMatch(message);
    else expect(stderr).toBe(message);
    expect(loaded).toBe('');
  });
});

test('passes its arguments to CDK, and its output and exit code back', async () => {
  expect(await npmRun('synth', '--', '--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2\.\d+/),
    loaded: expect.stringContaining('/node_modules/aws-cdk/'),
  });
  // An app of its own that fails: the settings are right, so CDK must have run.
  expect(await npmRun('synth', '--', '--app', 'exit 3', '-c', 'stage=try')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exited with error 3'),
  });
});
