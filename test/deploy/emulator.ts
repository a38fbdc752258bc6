import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { freePort } from '../../cli/store/targets/embeddedEngine.ts';

/** Time for the emulator to start, and to save its state when it stops, in milliseconds. */
const START_STOP_TIMEOUT_MS = 60_000;

const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';

/**
 * Runs the emulator until the pipe on its standard input closes, so that an interrupted or killed test run leaves no
 * process behind. Then terminates the whole process group, functions included, and waits for it.
 */
const UNTIL_STDIN_CLOSES = 'trap : TERM; "$0" & cat > /dev/null; kill -TERM 0; wait';

/** The environment of the emulator and its clients. It contains no profile of the user and no real account. */
const quietEnvironment = (folder: string) => ({
  // The emulator runs the first node on its path. Make that the pinned one.
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: folder,
  TMPDIR: folder,
  AWS_REGION: REGION,
  // The name that the AWS command line reads.
  AWS_DEFAULT_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});

/** The state folder and the port of an emulator. Both outlive its runs. */
export type Home = Awaited<ReturnType<typeof emulatorHome>>;

/** Creates a home for an emulator. Call `remove` at the end. */
export async function emulatorHome() {
  const folder = mkdtempSync(join(tmpdir(), 'ministack-'));
  return { folder, port: await freePort(), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A running AWS emulator. */
export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/**
 * Starts the emulator on 127.0.0.1.
 * @param home in the same home, the emulator continues with its earlier state
 * @param options `enforcesPolicies`: evaluates IAM policies for every caller except the root user, which the tests are
 * @throws Error with the end of the emulator's log, if it does not start
 */
export async function startEmulator({ folder, port }: Home, { enforcesPolicies = false } = {}) {
  const ministack = inject('ministack');
  if ('missing' in ministack) throw new Error(ministack.missing);
  const endpoint = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'emulator.log');
  const log = openSync(logFile, 'a');
  const child = spawn('sh', ['-c', UNTIL_STDIN_CLOSES, join(ministack.programs, 'ministack')], {
    cwd: folder,
    // A separate process group, which can be terminated as a whole.
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
      // Turn off unused services that listen on additional ports.
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
      // No process of the group is left.
    }
  };

  const stop = async () => {
    child.stdin?.end();
    await Promise.race([exited, pause(START_STOP_TIMEOUT_MS, undefined, { ref: false })]);
    killGroup();
  };

  const isHealthy = () =>
    fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(2000) }).then(({ ok }) => ok);
  for (const giveUp = Date.now() + START_STOP_TIMEOUT_MS; !(await isHealthy().catch(() => false)); await pause(100)) {
    if (child.exitCode === null && Date.now() < giveUp) continue;
    await stop();
    throw new Error(`The emulator does not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
  }

  return {
    stop,
    folder,
    /** Environment variables that make a program use the emulator as AWS. */
    environment: {
      ...quietEnvironment(folder),
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      CDK_DEFAULT_ACCOUNT: ACCOUNT,
      CDK_DEFAULT_REGION: REGION,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
    },
    /** Options that make an SDK client use the emulator as AWS. */
    client: { endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
    /** Converts the base URL that a stack outputs for AWS to the one on the emulator. */
    baseUrlOf: (stackUrl: string): string => {
      const [, apiId, stage] = /^https:\/\/(\w+)\..*\/([^/]+)$/.exec(stackUrl) as string[];
      return `${endpoint}/restapis/${apiId}/${stage}/_user_request_`;
    },
  };
}
