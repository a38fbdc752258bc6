import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  CALLER_ARN,
  execute,
  localWorld,
  MAIN,
  runCommand,
  says,
  start,
  startAws,
  temporaryFolder,
  UNREACHABLE,
  world,
} from '../../../setup/world.ts';

const empty = temporaryFolder();

/** Runs the command line in a process of its own, to test its folder and its environment. */
const ailog = (args: readonly string[], { cwd = empty, env = {} as NodeJS.ProcessEnv } = {}) =>
  execute([process.execPath, MAIN, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });

describe('a deployment', async () => {
  const fixture = await world();
  const aws = await startAws('AiLogUpload-test', fixture.names);
  const { AWS_ENDPOINT_URL_DYNAMODB } = fixture.environment;
  const env: NodeJS.ProcessEnv = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB };
  const onStack = (args: readonly string[], more: NodeJS.ProcessEnv = { AWS_REGION: 'eu-central-1' }) =>
    ailog([...args, '--stack', 'AiLogUpload-test'], { env: { ...env, ...more } });

  test('is found by its stack, and every change records the AWS identity of the caller', async () => {
    for (const [name, value] of Object.entries({ ...env, AWS_REGION: 'eu-central-1' })) vi.stubEnv(name, value);
    const args = ['allowlist', 'add', '1001', '--stack', 'AiLogUpload-test'];
    expect(await runCommand(args, { cwd: empty })).toMatchObject({ exitCode: 0, stderr: '' });
    vi.unstubAllEnvs();
    const allowlistEntry = await fixture.allowlist.get('1001');
    expect(allowlistEntry).toMatchObject({ uid: '1001', status: 'approved', updatedBy: CALLER_ARN });
  });

  test('seals with its KMS key, and decrypts to verify signatures; without the permission, digests are still verified', async () => {
    const { stdout } = await onStack(['keys', 'issue', '1001', '--unlisted', '--json']);
    const [{ accessKey, secret }] = JSON.parse(stdout);
    const key = await fixture.apiKeys.get(accessKey);
    expect(Buffer.from(key?.credentials ?? []).includes(secret)).toBe(false);

    // The entry is stored with the credentials sealed locally, which are then replaced by those that KMS sealed.
    const team = await fixture.issue('1001');
    const { stdout: sealed } = await onStack(['keys', 'rotate', team.accessKey, '--json', '--grace', '0', '--yes']);
    const rotated = await fixture.apiKeys.get(team.accessKey);
    const [issued] = JSON.parse(sealed);
    const local = await fixture.seal(issued, team);
    await fixture.apiKeys.put({ ...(rotated as never as object), credentials: local } as never);
    await fixture.uploadAt({ ...team, ...issued }, Date.now());
    await fixture.apiKeys.put(rotated as never);
    expect((await onStack(['logs', 'verify'])).stdout).toContain('digest ok, fields ok, signature ok, time ok\n');

    aws.forbidDecrypt();
    expect(await onStack(['logs', 'verify'])).toMatchObject({
      exitCode: 5,
      stdout: expect.stringContaining(
        "digest ok, fields ok, signature not checked: the key's credentials cannot be decrypted (AccessDeniedException)",
      ),
    });
  });

  test('takes its region from --region', async () => {
    expect((await onStack(['allowlist', 'list', '--region', 'eu-central-1'], {})).exitCode).toBe(0);
  });

  // biome-ignore format: one case a line
  test.each([
    ['a stack that does not exist', 'Nowhere', 2, 'There is no stack Nowhere.\nCheck its name, --region and --profile; npx cdk list prints the names.\n'],
    ['a stack of something else', 'Other', 2, 'Stack Other has no output CredentialsKeyArn.\nName the stack of an AI log upload deployment, such as AiLogUpload-prod. If it is one, deploy this version.\n'],
    ['a stack without permission to read it', 'Forbidden', 3, 'AWS rejected the request: AccessDenied: User alice is not authorized to perform: cloudformation:DescribeStacks.\n'],
  ])('%s', async (_name, stack, exitCode, stderr) => {
    const ran = await ailog(['logs', 'list', '--stack', stack], { env: { ...env, AWS_REGION: 'eu-central-1' } });
    expect(ran).toEqual({ exitCode, stdout: '', stderr });
  });

  test('without AWS credentials, the error says how to get them', async () => {
    const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...anonymous } = env;
    const cwd = empty;
    const ran = await ailog(['logs', 'list', '--stack', 'S'], {
      cwd,
      env: { ...anonymous, HOME: cwd, AWS_REGION: 'x' },
    });
    expect(ran).toEqual(
      says(
        2,
        'No AWS credentials were found.\nSign in (aws sso login), or use a profile that is signed in: --profile NAME.\n',
      ),
    );
  });

  test('without a region, or with a profile that does not exist, the error says so', async () => {
    // biome-ignore format: one case a line
    const cases = [
      [{ HOME: empty }, [], /^No AWS region given\.\nGive --region, or set AWS_REGION\.\n$/],
      [{ HOME: empty, AWS_REGION: 'x', AWS_ACCESS_KEY_ID: '' }, ['--profile', 'nobody'], /No AWS credentials were found\.\n/],
    ] as const;
    for (const [more, args, stderr] of cases) {
      const ran = await onStack(['logs', 'list', ...args], more);
      expect(ran).toEqual(says(2, expect.stringMatching(stderr)));
    }
  });

  test('that does not answer ends with 4', async () => {
    const ran = await onStack(['logs', 'list'], {
      AWS_REGION: 'x',
      AWS_ENDPOINT_URL_CLOUDFORMATION: UNREACHABLE,
      AWS_MAX_ATTEMPTS: '1',
    });
    expect(ran).toEqual(
      says(
        4,
        expect.stringMatching(
          /^The service does not answer: .*\.\nCheck the network, --region, and HTTPS_PROXY, AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set\.\n$/,
        ),
      ),
    );
  });
});

describe('the local data', () => {
  // biome-ignore format: one case a line
  test.each([
    ['no local data and no target', ['allowlist', 'list'], 'No target given.\nGive --stack NAME for a deployment, or run npm start once: then --local is the default.\n'],
    ['--local without local data', ['allowlist', 'list', '--local'], /^There is no local data in \S+\/\.local\.\nRun npm start once to create it\.\n$/],
    ['two targets', ['allowlist', 'list', '--local', '--stack', 'S'], 'Give either --local or --stack, not both.\n'],
    ['a region without a stack', ['allowlist', 'list', '--region', 'eu-central-1'], '--region and --profile belong to a deployment.\nGive --stack NAME too.\n'],
    ['a profile without a stack', ['allowlist', 'list', '--profile', 'p'], '--region and --profile belong to a deployment.\nGive --stack NAME too.\n'],
  ])('%s', async (_name, args, stderr) => {
    const ran = await runCommand(args, { cwd: empty });
    expect(ran).toEqual(says(2, typeof stderr === 'string' ? stderr : expect.stringMatching(stderr)));
  });

  test('a running engine is used and left running; otherwise each command starts and ends an engine', async () => {
    const { folder, endpoint, close, ailog } = await localWorld();
    const list = () => ailog(['allowlist', 'list', '--json']);
    await ailog(['allowlist', 'add', '1001']);
    const [{ updatedBy }] = JSON.parse((await list()).stdout);
    expect(updatedBy).toBe(`local:${userInfo().username}`);
    const answers = () =>
      fetch(endpoint, { method: 'POST' }).then(
        () => true,
        () => false,
      );
    expect(await answers()).toBe(true);

    await close();
    expect(await answers()).toBe(false);
    expect(JSON.parse((await list()).stdout)).toHaveLength(1);
    expect(existsSync(join(folder, '.local/engine.json'))).toBe(false);
  });

  test('an interruption ends the command, and the engine that it started', async () => {
    const { folder, close, ailog } = await localWorld();
    await close();
    expect(await ailog(['allowlist', 'list'], { signal: AbortSignal.abort() })).toEqual(says(130, 'Interrupted.\n'));
    expect(existsSync(join(folder, '.local/engine.json'))).toBe(false);
  });

  test('a command that is interrupted by Ctrl-C ends the engine that it started', async () => {
    const { folder, close } = await localWorld();
    await close();
    const note = join(folder, '.local/engine.json');
    const running = start([process.execPath, MAIN, 'logs', 'verify'], { cwd: folder, env: { PATH: process.env.PATH } });
    let hasEnded = false;
    running.ended.then(() => {
      hasEnded = true;
    });
    // On a busy machine, the command may end before this sees its engine.
    while (!existsSync(note) && !hasEnded) await new Promise((resolve) => setTimeout(resolve, 1));
    running.kill('SIGINT');
    expect([130, 0]).toContain((await running.ended).exitCode);
    expect(existsSync(note)).toBe(false);
  });

  test('an engine from the environment that does not answer: exit code 4', async () => {
    const { folder, close, ailog } = await localWorld();
    for (const args of [
      ['allowlist', 'list'],
      ['keys', 'issue', '1001', '--expires', '2099-01-31'],
    ]) {
      const ran = await ailog(args, { env: { DYNAMODB_ENDPOINT: UNREACHABLE } });
      expect(ran).toMatchObject(says(4, expect.stringContaining('ECONNREFUSED')));
    }
    await close();
    expect(readFileSync(join(folder, '.local/credentials.key'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  });
});
