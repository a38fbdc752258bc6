import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { isRunning } from '../files/isRunning.ts';

const require = createRequire(import.meta.url);

/** A running DynamoDB engine. */
export interface Engine {
  /** The URL that it listens on, such as `http://127.0.0.1:41234`. */
  readonly endpoint: string;
  /** Ends the engine if this process owns it. Resolves when its data is on disk. */
  readonly stop: () => Promise<void>;
}

/** Finds the engine's program for this platform. @throws Error that says how to install or replace the engine */
function findProgram(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(
      require.resolve(`${name}/package.json`),
      '..',
      process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide',
    );
  } catch {
    const { optionalDependencies } = require('../../package.json');
    throw new Error(
      `The embedded DynamoDB engine is not installed: run npm install --no-save ${name}@${optionalDependencies['@dynoxide/linux-x64']}, or set DYNAMODB_ENDPOINT to a running DynamoDB.`,
    );
  }
}

/** Finds a TCP port of this machine that is not in use. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(0, host);
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function answers(endpoint: string): Promise<boolean> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
  try {
    await client.send(new ListTablesCommand(), { abortSignal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

/** Ends a process and waits until it has exited. */
async function end(pid: number): Promise<void> {
  if (isRunning(pid)) process.kill(pid, 'SIGTERM');
  while (isRunning(pid)) await sleep(20);
}

/**
 * Returns a loopback address that a web page cannot guess: the engine serves whoever finds it, web pages included.
 * macOS has 127.0.0.1 only.
 */
function unguessableHost(): string {
  if (process.platform === 'darwin') return '127.0.0.1';
  return ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}

const MAX_PORTS = 5;

/** Starts the program on a free port, and waits until it answers. @throws Error with what it printed if it ends */
async function launchEngine(dataFolder: string | undefined) {
  const host = dataFolder ? unguessableHost() : '127.0.0.1';
  const data = dataFolder ? ['--db-path', join(dataFolder, 'dynamodb.sqlite')] : [];
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(host);
    const endpoint = `http://${host}:${port}`;
    const child = spawn(findProgram(), ['serve', '--host', host, '--port', String(port), ...data], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let complaints = '';
    child.stderr.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-4000);
    });
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    let ready = false;
    while (!ready && !hasEnded()) {
      ready = await answers(endpoint);
      if (!ready) await sleep(20);
    }
    if (!hasEnded()) return { child, endpoint };
    // Another program took the port after it was found free.
    if (attempt === MAX_PORTS || !complaints.includes('already in use')) {
      throw new Error(`The embedded DynamoDB engine did not start:\n${complaints}`);
    }
  }
}

/**
 * Starts the embedded engine, or joins the one that already serves this data, because two must not write the same file.
 * @param dataFolder the folder of its data; without it, the data is kept in memory
 */
export async function startEngine(dataFolder?: string): Promise<Engine> {
  const note = dataFolder && join(dataFolder, 'engine.json');
  if (note && existsSync(note)) {
    const { endpoint, pid, owner } = JSON.parse(readFileSync(note, 'utf8'));
    if (isRunning(pid) && (await answers(endpoint))) {
      // If its owner was killed and could not end it, this process takes it over.
      const stop = async () => (isRunning(owner) && owner !== process.pid ? undefined : end(pid));
      return { endpoint, stop };
    }
  }

  const { child, endpoint } = await launchEngine(dataFolder);
  const pid = child.pid as number;
  child.unref();
  (child.stderr as unknown as { unref(): void }).unref();
  if (note) writeFileSync(note, JSON.stringify({ endpoint, pid, owner: process.pid }), { mode: 0o600 });
  return {
    endpoint,
    stop: async () => {
      child.ref();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('exit', resolve));
      if (note) rmSync(note, { force: true });
    },
  };
}
