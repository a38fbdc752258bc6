import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';

/** How long the emulator may take to start, and to write down its state when it ends, in milliseconds. */
const READ_TIMEOUT_MS = 60_000;

const REGION = 'us-east-1';
const ACCOUNT = '000000000000';

/**
 * Runs the emulator for as long as the pipe on its standard input is open, however it is closed: a test run that is
 * interrupted or killed leaves nothing behind. Then the whole group, functions included, is asked to end and waited for.
 */
const UNTIL_STDIN_CLOSES = 'trap : TERM; "$0" & cat > /dev/null; kill -TERM 0; wait';

/** The environment of the emulator and of all that talks to it. No profile of the user's is in it, and no real account. */
const quietEnvironment = (folder: string) => ({
  // The emulator runs the first node on its path, and that is to be the pinned one.
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: folder,
  TMPDIR: folder,
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Where an emulator lives: the folder of its state and the port it listens on, which outlive its runs. */
export type Home = Awaited<ReturnType<typeof emulatorHome>>;

/** A home for an emulator. `remove` clears it away in the end. */
export async function emulatorHome() {
  const folder = mkdtempSync(join(tmpdir(), 'ministack-'));
  return { folder, port: await freePort(), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A running AWS emulator. */
export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/**
 * Starts the emulator on 127.0.0.1.
 * @param home started in the same one again, it goes on where it ended
 * @param options `enforcesPolicies`: evaluates IAM policies for whoever calls, but for the root user that the tests are
 * @throws Error with the end of its log, where it does not start
 */
export async function startEmulator({ folder, port }: Home, { enforcesPolicies = false } = {}) {
  const ministack = inject('ministack');
  if ('missing' in ministack) throw new Error(ministack.missing);
  const endpoint = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'emulator.log');
  const log = openSync(logFile, 'a');
  const child = spawn('sh', ['-c', UNTIL_STDIN_CLOSES, ministack.program], {
    cwd: folder,
    // A group of its own, which ends as one.
    detached: true,
    stdio: ['pipe', log, log],
    env: {
      ...quietEnvironment(folder),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      AUTH: String(enforcesPolicies),
      PERSIST_STATE: '1',
      S3_PERSIST: '1',
      STATE_DIR: join(folder, 'state'),
      S3_DATA_DIR: join(folder, 's3'),
      // Services that listen on ports of their own, which nothing here needs.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
    },
  });
  closeSync(log);
  const exited = once(child, 'exit');
  const killGroup = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // Nothing of it runs any more.
    }
  };

  const stop = async () => {
    child.stdin?.end();
    await Promise.race([exited, pause(READ_TIMEOUT_MS, undefined, { ref: false })]);
    killGroup();
  };

  const answers = () =>
    fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(2000) }).then(({ ok }) => ok);
  for (const giveUp = Date.now() + READ_TIMEOUT_MS; !(await answers().catch(() => false)); await pause(100)) {
    if (child.exitCode === null && Date.now() < giveUp) continue;
    await stop();
    throw new Error(`The emulator does not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
  }

  return {
    stop,
    folder,
    /** What a program needs to take the emulator for AWS. */
    environment: {
      ...quietEnvironment(folder),
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      CDK_DEFAULT_ACCOUNT: ACCOUNT,
      CDK_DEFAULT_REGION: REGION,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
    },
    /** What an SDK client needs to take the emulator for AWS. */
    client: { endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
    /** The base URL of a deployed API here, from the one that the stack says it has in AWS. */
    baseUrlOf: (stackUrl: string): string => {
      const [, apiId, stage] = /^https:\/\/(\w+)\..*\/([^/]+)$/.exec(stackUrl) as string[];
      return `${endpoint}/restapis/${apiId}/${stage}/_user_request_`;
    },
  };
}
