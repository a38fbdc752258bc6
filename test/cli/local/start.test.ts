import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { readDemo } from '../../../cli/local/demo.ts';
import { freePort } from '../../../cli/local/engine.ts';
import { sign, UPLOAD_PATH } from '../../../functions/auth/signature.ts';

const README = fileURLToPath(new URL('../../../README.md', import.meta.url));
const START = fileURLToPath(new URL('../../../cli/local/start.ts', import.meta.url));

/** Runs `npm start` in a folder until it has printed its last line. */
async function start(folder: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [START], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', ...environment },
  });
  let output = '';
  let ended = false;
  const exit = once(child, 'exit').then(([code]) => {
    ended = true;
    return code as number | null;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  while (!ended && !output.includes('Ctrl-C ends.')) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    output: () => output,
    exit,
    stop: async (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
      child.kill(signal);
      return exit;
    },
  };
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'ailog-start-'));
const demoOf = (folder: string) => {
  const demo = readDemo(join(folder, '.local/demo.env'));
  if (!demo) throw new Error('no demo.env');
  return demo;
};
const answers = (endpoint: string) =>
  fetch(endpoint, { method: 'POST' }).then(
    () => true,
    () => false,
  );

/** Runs the printed command in a shell. */
const paste = (folder: string, output: string) => {
  const [command = ''] = /^\( \. .*? \)$/ms.exec(output) ?? [];
  return JSON.parse(execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' }));
};

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

describe('npm start', () => {
  test('prints an upload command that works, and logs the upload as one line', async () => {
    const folder = newFolder();
    const run = await started(folder);
    expect(paste(folder, run.output())).toEqual({
      code: '00000',
      msg: 'success',
      requestTime: expect.any(Number),
      data: 'upload success',
    });
    await expect.poll(run.output).toContain('"message":"accepted"');
  });

  test('prints what the README shows', async () => {
    /** Replaces the parts that differ from run to run. */
    const lasting = (text: string) =>
      text.replace(/:\d{4,5}\b/g, ':PORT').replace(/\b(ailog_)?[0-9a-f]{32,64}\b/g, 'HEX');
    const [, shown = ''] = /```text\n(AI log upload listens.*?)```/s.exec(readFileSync(README, 'utf8')) ?? [];
    const run = await started(newFolder());
    expect(lasting(run.output()).trimEnd()).toBe(lasting(shown).trimEnd());
  });

  test('prints the demo credentials, and writes them to a file that only the owner can read', async () => {
    const folder = newFolder();
    const run = await started(folder);
    const demo = demoOf(folder);
    for (const file of ['demo.env', 'credentials.key']) {
      expect(statSync(join(folder, '.local', file)).mode & 0o777).toBe(0o600);
    }
    for (const value of Object.values(demo)) expect(run.output()).toContain(value);
    const shell = execFileSync('sh', ['-c', '. .local/demo.env; env'], { cwd: folder, encoding: 'utf8' });
    for (const [name, value] of Object.entries(demo)) expect(shell).toContain(`${name}=${value}\n`);
  });

  test("accepts a non-ASCII body that Node's fetch sends from JSON.stringify", async () => {
    const folder = newFolder();
    await started(folder);
    const demo = demoOf(folder);
    const body = JSON.stringify({
      stage: '决策',
      model: 'GPT-5-mini',
      input: { 提示: '📉' },
      output: {},
      explanation: 'é',
    });
    const timestamp = String(Date.now());
    const response = await fetch(demo.AILOG_URL + UPLOAD_PATH, {
      method: 'POST',
      headers: {
        'ACCESS-KEY': demo.AILOG_ACCESS_KEY,
        'ACCESS-SIGN': sign(demo.AILOG_SECRET, { timestamp, query: '', body: Buffer.from(body) }),
        'ACCESS-PASSPHRASE': demo.AILOG_PASSPHRASE,
        'ACCESS-TIMESTAMP': timestamp,
        locale: 'zh-CN',
        'Content-Type': 'application/json',
      },
      body,
    });
    expect(await response.json()).toMatchObject({ code: '00000', data: 'upload success' });
  });

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

  test('after a kill, the next start takes over the engine', async () => {
    const folder = newFolder();
    const first = await start(folder);
    const { AILOG_DYNAMODB_ENDPOINT: endpoint } = demoOf(folder);
    await first.stop('SIGKILL');
    expect(await answers(endpoint)).toBe(true);

    const second = await start(folder);
    expect(demoOf(folder).AILOG_DYNAMODB_ENDPOINT).toBe(endpoint);
    expect(paste(folder, second.output())).toMatchObject({ code: '00000' });
    await second.stop();
    expect(await answers(endpoint)).toBe(false);
  });

  test('a port in use: the error says what to do', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const run = await start(newFolder(), { PORT: String(port) });
    expect(await run.exit).toBe(1);
    expect(run.output()).toBe(
      `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start\n`,
    );
    other.close();
  });

  test.each([
    ['PORT', 'http', 'PORT must be a number from 0 (any free port) to 65535, not "http".\n'],
    ['PORT', '65536', 'PORT must be a number from 0 (any free port) to 65535, not "65536".\n'],
    [
      'DYNAMODB_ENDPOINT',
      'localhost:8000',
      'DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "localhost:8000".\n',
    ],
    [
      'DYNAMODB_ENDPOINT',
      'http://127.0.0.1:9',
      'Cannot use the DynamoDB at http://127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9\n',
    ],
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
});
