import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort, startEngine } from '../../../cli/store/targets/embeddedEngine.ts';
import { execute, runCommand, says, start as startProgram, startServer, UNREACHABLE } from '../../setup/world.ts';
import { demoOf, newFolder, paste, START, sendLog, start } from './service.ts';

const README = fileURLToPath(new URL('../../../README.md', import.meta.url));

const answers = (endpoint: string) =>
  fetch(endpoint, { method: 'POST' }).then(
    () => true,
    () => false,
  );

/**
 * Returns the process ids of all programs that run in a folder, and of its engine. Linux only, as that of the tests.
 */
const programsIn = (folder: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return false;
      const isEngine = readlinkSync(`/proc/${pid}/exe`).endsWith('/dynoxide');
      const data = isEngine ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
      return data.includes(`${folder}/`) || readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // It has ended meanwhile, or belongs to another user.
      return false;
    }
  });

let running: Awaited<ReturnType<typeof start>>[] = [];
afterEach(async () => {
  await Promise.all(running.map(({ stop }) => stop()));
  running = [];
});
const started = async (...args: Parameters<typeof start>) => {
  const run = await start(...args);
  running.push(run);
  return run;
};

describe('a started service', () => {
  const folder = newFolder();
  let run: Awaited<ReturnType<typeof start>>;
  /** The output before the first upload. */
  let printed: string;
  beforeAll(async () => {
    run = await start(folder);
    printed = run.output();
  });
  afterAll(() => run.stop());

  test('prints an upload command that works, and logs the upload as one line', async () => {
    expect(paste(folder, run.output())).toEqual({
      code: '00000',
      msg: 'success',
      requestTime: expect.any(Number),
      data: 'upload success',
    });
    await expect
      .poll(run.output)
      .toMatch(/Ctrl-C ends\.\n\n\d{4}-\d\d-\d\dT[\d:]{8}Z {2}1001 {2}200 {2}00000 {2}success\n$/);
  });

  test('prints what the README shows', async () => {
    /** Replaces the parts that differ from run to run. */
    const lasting = (text: string) =>
      text.replace(/:\d{4,5}\b/g, ':PORT').replace(/\b(ailog_)?[0-9a-f]{32,64}\b/g, 'HEX');
    const [, shown = ''] = /```text\n(AI log upload listens.*?)```/s.exec(readFileSync(README, 'utf8')) ?? [];
    expect(lasting(printed).trimEnd()).toBe(lasting(shown).trimEnd());
  });

  test('prints the demo credentials, and writes them to a file that only the owner can read', async () => {
    const demo = demoOf(folder);
    for (const file of ['demo.env', 'credentials.key']) {
      expect(statSync(join(folder, '.local', file)).mode & 0o777).toBe(0o600);
    }
    for (const value of Object.values(demo)) expect(printed).toContain(value);
    const shell = execFileSync('sh', ['-c', '. .local/demo.env; env'], { cwd: folder, encoding: 'utf8' });
    for (const [name, value] of Object.entries(demo)) expect(shell).toContain(`${name}=${value}\n`);
  });

  test("accepts a non-ASCII body that Node's fetch sends from JSON.stringify", async () => {
    const log = { stage: '决策', model: 'GPT-5-mini', input: { 提示: '📉' }, explanation: 'é' };
    const response = await sendLog(folder, log, { locale: 'zh-CN' });
    expect(await response.json()).toMatchObject({ code: '00000', data: 'upload success' });
  });

  test('writes the trust policy that verifies the receipts of its uploads, and the same one after a restart', async () => {
    const receipt = (await sendLog(folder)).headers.get('ai-log-receipt') ?? '';
    writeFileSync(join(folder, 'receipt.txt'), receipt);
    expect(await runCommand(['verify', 'receipt.txt'], { cwd: folder })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('localhost/ailog accepted it'),
      stderr: expect.stringContaining('.local/tlog.policy'),
    });
    const policy = readFileSync(join(folder, '.local/tlog.policy'), 'utf8');
    await run.stop();
    run = await start(folder);
    expect(readFileSync(join(folder, '.local/tlog.policy'), 'utf8')).toBe(policy);
  });
});

describe('npm start', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends it and its engine, and a second start has the same data',
    async (signal) => {
      const folder = newFolder();
      const first = await start(folder);
      const before = demoOf(folder);
      expect(await answers(before.AILOG_DYNAMODB_ENDPOINT)).toBe(true);
      paste(folder, first.output());
      expect(await first.stop(signal)).toBe(0);
      expect(await answers(before.AILOG_DYNAMODB_ENDPOINT)).toBe(false);

      const second = await started(folder);
      const after = demoOf(folder);
      expect([after.AILOG_ACCESS_KEY, after.AILOG_SECRET]).toEqual([before.AILOG_ACCESS_KEY, before.AILOG_SECRET]);
      expect(paste(folder, second.output())).toMatchObject({ code: '00000' });
    },
  );

  test('after a kill its engine ends, and the next start has the data', async () => {
    const folder = newFolder();
    const first = await start(folder);
    const { endpoint } = JSON.parse(readFileSync(join(folder, '.local/engine.json'), 'utf8'));
    await first.stop('SIGKILL');
    await expect.poll(() => answers(endpoint)).toBe(false);

    const second = await start(folder);
    expect(paste(folder, second.output())).toMatchObject({ code: '00000' });
    await second.stop();
  });

  test.each(['dynamodb.sqlite', 'engine.json'])(
    'SIGTERM during start-up, when %s has appeared, ends it and its engine',
    async (file) => {
      /** Starts it and sends the signal. @returns its output */
      const outputOf = async () => {
        const folder = newFolder();
        const env = { PATH: process.env.PATH, PORT: '0' };
        const { output, kill, ended } = startProgram([process.execPath, START], { cwd: folder, env });
        await expect.poll(() => existsSync(join(folder, '.local', file)), { interval: 5 }).toBe(true);
        expect(programsIn(folder).length).toBeGreaterThan(1);
        kill('SIGTERM');
        expect(await ended).toMatchObject({ exitCode: 0 });
        expect(programsIn(folder)).toEqual([]);
        expect(existsSync(join(folder, '.local/engine.json'))).toBe(false);
        return output();
      };
      // On a busy machine, it may have started up before the signal came.
      let output = await outputOf();
      while (output.startsWith('AI log upload listens on ')) output = await outputOf();
      expect(output).toBe('');
    },
  );

  test('a failed start ends its engine, and gives the folder back', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.local/demo.env'), { recursive: true });
    const run = await start(folder);
    expect([await run.exit, run.output()]).toEqual([1, expect.stringMatching(/demo\.env is a folder, not a file\.\n/)]);
    expect(programsIn(folder)).toEqual([]);
    expect(existsSync(join(folder, '.local/start.lock'))).toBe(false);
  });

  test('a second start in the folder is refused, and changes nothing of the first', async () => {
    const folder = newFolder();
    const first = await started(folder);
    const file = () => readFileSync(join(folder, '.local/demo.env'), 'utf8');
    const before = file();
    const second = await start(folder, { PORT: String(await freePort()) });
    expect([await second.exit, second.output()]).toEqual([
      1,
      expect.stringMatching(
        /^Process \d+ is already running npm start in this folder\.\nWait until it ends\. If it is not npm start, remove \.local\/start\.lock\.\n$/,
      ),
    ]);
    expect(file()).toBe(before);
    expect(await answers(demoOf(folder).AILOG_DYNAMODB_ENDPOINT)).toBe(true);
    expect(paste(folder, first.output())).toMatchObject({ code: '00000' });
  });

  test('uses the engine that a command started, and keeps it when the command ends', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.local'));
    const command = await startEngine(join(folder, '.local'));
    const run = await started(folder);
    expect(demoOf(folder).AILOG_URL).not.toBe('');
    await command.stop();
    expect(paste(folder, run.output())).toMatchObject({ code: '00000' });
    expect(await runCommand(['allowlist', 'list'], { cwd: folder })).toMatchObject({ exitCode: 0 });
    expect(paste(folder, run.output())).toMatchObject({ code: '00000' });
    await run.stop();
    expect(await answers(command.endpoint)).toBe(false);
  });

  test('when its data is removed, no upload is a success, and it ends with a clear line', async () => {
    const folder = newFolder();
    const run = await start(folder);
    const demo = readFileSync(join(folder, '.local/demo.env'));
    const send = async () => {
      const answer = await sendLog(folder).catch(() => undefined);
      return answer?.status ?? 'no answer';
    };
    expect(await send()).toBe(200);
    rmSync(join(folder, '.local'), { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(join(folder, '.local'), { recursive: true });
    writeFileSync(join(folder, '.local/demo.env'), demo);
    expect([503, 'no answer']).toContain(await send());
    expect(await run.exit).toBe(1);
    expect(run.output()).toMatch(
      /\n\.local\/dynamodb\.sqlite was removed or replaced while npm start used it\. Uploads are no longer kept\.\nRun npm start again for empty data\.\n$/,
    );
    expect(run.output()).not.toMatch(/^ {4}at /m);
    expect(programsIn(folder)).toEqual([]);
    const next = await started(folder);
    expect(paste(folder, next.output())).toMatchObject({ code: '00000' });
  });

  test('a file for which the disk has no room is an error without a stack trace', async () => {
    const folder = newFolder();
    // A limit of the shell for each file is a full disk that every test machine has.
    const limited = ['sh', '-c', 'ulimit -f 600; exec "$0" "$1"', process.execPath, START];
    const { exitCode, stdout, stderr } = await execute(limited, { cwd: folder, env: { PORT: '0' } });
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^The file \.local\/bundle\/\S+ .*EFBIG.*\n$/),
    ]);
    expect(programsIn(folder)).toEqual([]);
  });

  test('a damaged engine.json is an error that says what to do, here and in commands', async () => {
    const folder = newFolder();
    await (await start(folder)).stop();
    writeFileSync(join(folder, '.local/engine.json'), '{"endpoint":');
    const run = await start(folder);
    const advice = 'End npm start, and the program dynoxide if it runs. Then delete the file.\n';
    expect([await run.exit, run.output()]).toEqual([
      1,
      `.local/engine.json is damaged. It names the running engine.\n${advice}`,
    ]);
    expect(await runCommand(['allowlist', 'list'], { cwd: folder })).toEqual(
      says(2, expect.stringMatching(/^\S+\.local\/engine\.json is damaged\. It names the running engine\.\n/)),
    );
  });

  test('when the port answers, demo.env is complete', async () => {
    const folder = newFolder();
    const port = await freePort();
    const run = start(folder, { PORT: String(port) });
    const url = `http://127.0.0.1:${port}`;
    await expect.poll(() => answers(url), { interval: 1 }).toBe(true);
    expect(demoOf(folder).AILOG_URL).toBe(url);
    running.push(await run);
  });

  test.each([
    ['a port', undefined],
    // If another program has the port, the test works as well.
    ['the last port', 65_535],
  ])('%s in use: the error says what to do', async (_name, given) => {
    const port = given ?? (await freePort());
    await startServer(() => {}, port).catch(() => {});
    const run = await start(newFolder(), { PORT: String(port) });
    expect([await run.exit, run.output()]).toEqual([
      1,
      `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${given ? 8787 : port + 1} npm start\n`,
    ]);
  });

  // biome-ignore format: one case a line
  test.each([
    ['PORT', 'http', 'PORT must be a number from 0 (any free port) to 65535, not "http".\n'],
    ['PORT', '65536', 'PORT must be a number from 0 (any free port) to 65535, not "65536".\n'],
    ['DYNAMODB_ENDPOINT', 'localhost:8000', 'DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "localhost:8000".\n'],
    ['DYNAMODB_ENDPOINT', UNREACHABLE, `Cannot use the DynamoDB at ${UNREACHABLE}: connect ECONNREFUSED ${new URL(UNREACHABLE).host}\n`],
  ])('%s=%s: the error says what is wrong', async (name, value, sentence) => {
    const run = await start(newFolder(), { [name]: value });
    expect(await run.exit).toBe(1);
    expect(run.output()).toBe(sentence);
  });

  test('uses the DynamoDB of DYNAMODB_ENDPOINT, and starts no engine', async () => {
    const host = await start(newFolder());
    running.push(host);
    const [, endpoint = ''] = /DynamoDB engine: (\S+)/.exec(host.output()) ?? [];
    const folder = newFolder();
    const run = await started(folder, { DYNAMODB_ENDPOINT: endpoint });
    expect(demoOf(folder).AILOG_DYNAMODB_ENDPOINT).toBe(endpoint);
    expect(paste(folder, run.output())).toMatchObject({ code: '00000' });
    expect(() => readFileSync(join(folder, '.local/engine.json'))).toThrow(/ENOENT/);
  });

  test('takes settings of a deployment as options and as variables; an option overrides its variable', async () => {
    const folder = newFolder();
    const run = await started(folder, { REQUIRE_LOCALE: 'false', UID_QUOTA: '100', ENTRY_RETENTION_DAYS: '30' }, [
      '--uid-quota=2',
      '--window-seconds',
      '20',
    ]);
    // All uploads are in one window.
    const left = 20_000 - (Date.now() % 20_000);
    if (left < 6000) await sleep(left);
    const answers: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const response = await sendLog(folder, { stage: `S${i}` }, {});
      answers.push([response.status, response.headers.get('ratelimit-policy')?.split(', ')[0]]);
    }
    expect(answers).toEqual([
      [200, '"uid";q=2;w=20'],
      [200, '"uid";q=2;w=20'],
      [429, '"uid";q=2;w=20'],
    ]);
    await expect
      .poll(run.output)
      .toMatch(/ {2}1001 {2}429 {2}429 {2}Too many requests: UID weight 2\/2 in 20 s, retry in \d+ s\n$/);

    // What teams wrote stays on one line, and requests that the gateway rejects are listed, too.
    const { AILOG_URL } = demoOf(folder);
    await sendLog(folder, { orderId: '1\u0085\u202e' });
    await expect.poll(run.output).toContain('40020  Parameter orderId is invalid: ');
    expect(run.output()).toMatch(/received "1\\u0085\\u202e"\n$/);
    await fetch(`${AILOG_URL}//capi`);
    await expect.poll(run.output).toMatch(/\n\S+Z {2}- {2}404 {2}404 {2}Unknown path \/\/capi: [^\n]*\n$/);
  });

  test('--json prints the raw log instead', async () => {
    const folder = newFolder();
    const run = await started(folder, {}, ['--json']);
    expect((await sendLog(folder)).status).toBe(200);
    await expect.poll(run.output).toContain('"message":"accepted"');
    expect(run.output()).not.toContain('  200  00000  success');
  });

  test('--help prints the usage, also beside a wrong setting, and starts nothing', async () => {
    const folder = newFolder();
    const run = await start(folder, { PORT: 'http' }, ['--help']);
    expect([await run.exit, run.output()]).toEqual([0, expect.stringContaining('Usage: npm start -- [options]')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('wrong settings: the errors say what is allowed, and nothing is started', async () => {
    const folder = newFolder();
    const run = await start(folder, { WINDOW_SECONDS: '21' }, ['--uid-quota=none']);
    expect(await run.exit).toBe(1);
    expect(run.output()).toBe(
      '--uid-quota is "none": it must be an integer from 1 to 5000.\nWINDOW_SECONDS is "21": it must be an integer from 1 to 20.\n',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the local data', () => {
  const folder = newFolder();
  const local = join(folder, '.local');
  let run: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    mkdirSync(join(local, 'bundle'), { recursive: true, mode: 0o755 });
    writeFileSync(join(local, 'dynamodb.sqlite'), '', { mode: 0o644 });
    chmodSync(local, 0o755);
    run = await start(folder);
  });
  afterAll(() => run.stop());

  test('is for its owner only, also if it was open to others', async () => {
    await sendLog(folder);
    const modes = readdirSync(local, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      // The sequencer gives its files their names only when they are complete, so some are gone by now.
      const mode = statSync(path, { throwIfNoEntry: false })?.mode;
      if (mode === undefined) return [];
      return [[relative(local, path), (mode & 0o777).toString(8), entry.isDirectory() ? '700' : '600']];
    });
    expect(modes.length).toBeGreaterThan(5);
    expect(modes.filter(([, mode, wanted]) => mode !== wanted)).toEqual([]);
    expect(statSync(local).mode & 0o777).toBe(0o700);
  });

  test('is behind a proxy that rejects web pages', async () => {
    const ofPage = { method: 'POST', headers: { Origin: 'https://evil.example' } };
    const { status, headers } = await fetch(demoOf(folder).AILOG_DYNAMODB_ENDPOINT, ofPage);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  test('is behind an engine at an address that a page cannot guess', async () => {
    const { endpoint } = JSON.parse(readFileSync(join(local, 'engine.json'), 'utf8'));
    const { hostname, port } = new URL(endpoint);
    expect(hostname).toMatch(/^127\.\d+\.\d+\.\d+$/);
    expect(hostname).not.toBe('127.0.0.1');
    expect(await answers(endpoint)).toBe(true);
    expect(await answers(`http://127.0.0.1:${port}`)).toBe(false);
  });

  test('can be used by DynamoDB tools with any credentials', async () => {
    const client = new DynamoDBClient({
      endpoint: demoOf(folder).AILOG_DYNAMODB_ENDPOINT,
      region: 'anywhere',
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    });
    const { Items } = await client.send(new ScanCommand({ TableName: 'AiLogUpload-local-Allowlist' }));
    expect(Items).toMatchObject([{ uid: { S: '1001' } }]);
  });
});
