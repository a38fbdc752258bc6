import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs an npm script as an operator does. Returns its output, its exit code, and the seconds that it and its child processes
 * computed: on an idle machine that is the time it takes, and on a busy one it does not depend on the others.
 */
const npmRun = (...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string; seconds: number }>((resolve) => {
    const timed = 'TIMEFORMAT="%U %S"; time npm run --silent "$@"';
    execFile('bash', ['-c', timed, 'bash', ...args], { cwd: ROOT, timeout: 60_000 }, (error, stdout, stderr) => {
      const lines = stderr.trimEnd().split('\n');
      const seconds = (lines.pop() ?? '').split(' ').reduce((sum, part) => sum + Number(part), 0);
      resolve({
        code: error === null ? 0 : Number(error.code ?? -1),
        stdout,
        stderr: lines.filter((line) => !line.startsWith('npm warn ')).join('\n'),
        seconds,
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
  ])('with %j fails at once, with its message alone', async (args, message) => {
    const { code, stdout, stderr, seconds } = await npmRun(script, '--', ...args);

    expect([code, stdout]).toEqual([1, '']);
    if (message instanceof RegExp) expect(stderr).toMatch(message);
    else expect(stderr).toBe(message);
    expect(seconds).toBeLessThan(2);
  });
});

test('passes its arguments to CDK, and its output and exit code back', async () => {
  expect(await npmRun('synth', '--', '--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2\.\d+/) });
  // An app of its own that fails: the settings are right, so CDK must have run.
  expect(await npmRun('synth', '--', '--app', 'exit 3', '-c', 'stage=try')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exited with error 3'),
  });
});
