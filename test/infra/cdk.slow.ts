import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../setup/temporaryFolder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** npm, CDK and the app take ten seconds of CPU time, and minutes on a busy machine. */
const TIMEOUT_MS = 240_000;

/** Runs a program as an operator does. Returns its exit code and output, without warnings of npm about its settings. */
const run = (
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(program, args, { cwd: ROOT, timeout: TIMEOUT_MS, ...options }, (error, stdout, stderr) => {
      const lines = stderr.trimEnd().split('\n');
      resolve({
        code: error === null ? 0 : Number(error.code ?? -1),
        stdout,
        stderr: lines.filter((line) => !line.startsWith('npm warn ')).join('\n'),
      });
    });
  });

describe('wrong settings, and no credentials', { timeout: TIMEOUT_MS }, () => {
  // biome-ignore format: one case a line
  test.each([
    ['deploy', ['-c', 'uidQuota=many'], /^Setting uidQuota is "many": it must be an integer from 1 to 5000\.$/],
    ['deploy', [], /^There are no valid AWS credentials for a deployment\. Set AWS_PROFILE, or append --profile NAME: /],
    ['synth', ['--context', 'waf=on'], /^Setting waf is "on": it must be true or false\.$/],
    ['deploy', ['-c', 'stage=prod'], /^Stage prod has no settings in cdk\.json, which has those of dev\. .* --stack AiLogUpload-prod --json prints/],
  ])('npm run %s -- %j says what is wrong, and CDK adds one line', async (script, args, message) => {
    const env = { PATH: process.env.PATH ?? '', HOME: temporaryFolder(), AWS_EC2_METADATA_DISABLED: 'true' };
    const { code, stdout, stderr } = await run('npm', ['run', '--silent', script, '--', ...args], { env });
    const [said = '', ...added] = stderr.split('\n');
    expect([code, stdout]).toEqual([1, '']);
    expect(said).toMatch(message);
    expect(added).toEqual([expect.stringMatching(/: Subprocess exited with error 1$/)]);
  });
});

describe('plain cdk', { timeout: TIMEOUT_MS }, () => {
  const folder = temporaryFolder();
  const stages = { prod: { checkpointKeys: '1,2', tlogPublic: false, waf: false } };
  const context = { ...cdkJson.context, stages };
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ app: `node ${join(ROOT, 'infra/app.ts')}`, context }));
  const cdk = (...args: string[]) =>
    run(process.execPath, [join(ROOT, 'node_modules/aws-cdk/bin/cdk'), 'synth', '--quiet', ...args], { cwd: folder });

  test('takes the settings of a stage from cdk.json', async () => {
    expect(await cdk('-c', 'stage=prod')).toMatchObject({ code: 0 });
    const { Resources } = JSON.parse(readFileSync(join(folder, 'cdk.out/AiLogUpload-prod.template.json'), 'utf8'));
    expect(Object.keys(Resources).filter((id) => id.startsWith('TlogCheckpointKey'))).toHaveLength(2);
  });

  test('takes no other settings for prod, and says what to write instead', async () => {
    const { code, stderr } = await cdk('-c', 'stage=prod', '-c', 'canary=false');
    expect(code).toBe(1);
    expect(stderr).toContain('Write into stages.prod of cdk.json: "canary": false\n');
  });
});

test.runIf(`node-${process.platform}-${process.arch}` in manifest.optionalDependencies)(
  'a cdk of another Node runs the app on the Node of the project',
  { timeout: TIMEOUT_MS },
  async () => {
    const folder = temporaryFolder();
    const node = join(folder, 'node');
    // A Node that runs everything but TypeScript.
    writeFileSync(
      node,
      `#!/bin/sh\ncase "$1" in *.ts) echo "the wrong Node: $1" >&2; exit 9;; esac\nexec '${process.execPath}' "$@"\n`,
    );
    chmodSync(node, 0o755);
    const programs = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
    const env = { ...process.env, PATH: [folder, ...programs].join(delimiter) };
    const cdk = join(ROOT, 'node_modules/aws-cdk/bin/cdk');
    const args = [cdk, 'list', '--output', join(folder, 'out'), '-c', 'stage=try', '-c', 'disposable=true'];
    expect(await run(node, args, { env })).toEqual({ code: 0, stdout: 'AiLogUpload-try\n', stderr: '' });
  },
);
