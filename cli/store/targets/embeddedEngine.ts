import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { isRunning, kill, lock } from '../../shell/files/lock.ts';
import { readWhole } from '../../shell/files/readWhole.ts';
import { replaceFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { localIdentity } from './data.ts';

const require = createRequire(import.meta.url);

export interface Engine {
  /** The URL that it listens on, such as `http://127.0.0.1:41234`. */
  readonly endpoint: string;
  /** Ends the engine if no other process uses it. Resolves when its data is on disk. */
  readonly stop: () => Promise<void>;
}

/** Finds the engine's program for this platform. @throws Failure that says how to install or replace the engine */
function findProgram(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
    return join(require.resolve(`${name}/package.json`), '..', file);
  } catch {
    const { optionalDependencies } = require('../../../package.json');
    throw new Failure(
      'unreachable',
      `The embedded DynamoDB engine is not installed: run npm install --no-save ${name}@${optionalDependencies['@dynoxide/linux-x64']}, or set DYNAMODB_ENDPOINT to a running DynamoDB.`,
    );
  }
}

export async function freePort(host = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function answers(endpoint: string): Promise<boolean> {
  const client = new DynamoDBClient({ endpoint, ...localIdentity, maxAttempts: 1 });
  try {
    await client.send(new ListTablesCommand(), { abortSignal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

async function end(pid: number): Promise<void> {
  kill(pid, 'SIGTERM');
  while (isRunning(pid)) await sleep(20);
}

/** Returns a loopback address that no web page can guess, as the engine serves them too. macOS has 127.0.0.1 only. */
function unguessableHost(): string {
  if (process.platform === 'darwin') return '127.0.0.1';
  return ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}

const MAX_PORTS = 5;

const WATCH = fileURLToPath(new URL('endAbandonedEngine.ts', import.meta.url));

/** Launches the engine, and a watcher that ends it if this process does not. @returns `unwatch` ends the watcher */
async function launchWatched(endpoint: string, dataFolder: string, args: readonly string[]) {
  // Not in the folder of the user, who may remove it.
  const options = { detached: true, cwd: dirname(WATCH) } as const;
  const watcher = spawn(process.execPath, [WATCH, endpoint, dataFolder, findProgram(), ...args], options);
  let complaints = '';
  watcher.stderr.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-4000);
  });
  const closed = new Promise((resolve) => watcher.once('close', resolve));
  const [pid] = await Promise.race([once(watcher.stdout, 'data'), once(watcher, 'exit').then(() => [''])]);
  return {
    pid: Number(pid),
    /** Returns what it wrote to stderr, which may arrive after its end. */
    complaints: () => Promise.race([closed, sleep(1000)]).then(() => complaints),
    hasEnded: () => watcher.exitCode !== null || watcher.signalCode !== null,
    /** Lets this process end before the engine does. */
    unref() {
      watcher.unref();
      for (const stream of watcher.stdio) (stream as unknown as { unref(): void }).unref();
    },
    unwatch: () => void watcher.kill(),
  };
}

async function launchEngine(folder: string | undefined) {
  const host = folder ? unguessableHost() : '127.0.0.1';
  const dataFolder = folder ? resolve(folder) : '';
  const data = folder ? ['--db-path', join(dataFolder, 'dynamodb.sqlite')] : [];
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(host);
    const endpoint = `http://${host}:${port}`;
    const args = ['serve', '--host', host, '--port', String(port), ...data];
    const { pid, complaints, hasEnded, unref, unwatch } = await launchWatched(endpoint, dataFolder, args);
    while (!hasEnded() && !(await answers(endpoint))) await sleep(20);
    if (!hasEnded()) {
      unref();
      return { pid, endpoint, unwatch };
    }
    const said = await complaints();
    // Another program took the port after it was found free.
    if (attempt === MAX_PORTS || !said.includes('already in use')) {
      throw new Failure('unreachable', ['The embedded DynamoDB engine did not start:', ...said.split('\n')]);
    }
  }
}

/** The engine of a folder, as the processes that use it note it in `engine.json`. */
interface EngineNote {
  readonly endpoint: string;
  readonly pid: number;
  /** The processes that use the engine; a process that uses it twice is listed twice. */
  readonly users: readonly number[];
}

const noteIn = (dataFolder: string) => join(dataFolder, 'engine.json');
const writeNote = (dataFolder: string, note: EngineNote) => replaceFile(noteIn(dataFolder), JSON.stringify(note));

/** Reads the note on the engine of a folder. @throws Failure if it cannot be read: its engine may be running */
function readNote(dataFolder: string): EngineNote | undefined {
  const path = noteIn(dataFolder);
  if (!existsSync(path)) return undefined;
  try {
    const { endpoint, pid, users } = JSON.parse(String(readWhole(path)));
    if (URL.canParse(endpoint) && Number.isInteger(pid) && Array.isArray(users)) return { endpoint, pid, users };
  } catch {
    // Not JSON, or far too large: the failure below says what to do.
  }
  throw new Failure('usage', `${path} is damaged. It names the running engine.`, {
    advice: 'End npm start, and the program dynoxide if it runs. Then delete the file.',
  });
}

const LOCK_WAIT_MS = 60_000;

const lockEngine = (dataFolder: string) =>
  lock(join(dataFolder, 'engine'), LOCK_WAIT_MS, { doing: 'starting or ending the engine', is: 'npm start or ailog' });

/** Returns true if an engine runs. A busy one may take seconds to answer. */
export async function isServing({ endpoint, pid }: Pick<EngineNote, 'endpoint' | 'pid'>): Promise<boolean> {
  for (let attempt = 1; attempt <= 5 && isRunning(pid); attempt += 1) if (await answers(endpoint)) return true;
  return false;
}

/** Ends an engine, unless it is that of a folder and another process uses it. */
export async function leave(dataFolder: string | undefined, pid: number): Promise<void> {
  // With its folder, the data was removed.
  if (dataFolder === undefined || !existsSync(dataFolder)) return end(pid);
  const unlock = await lockEngine(dataFolder);
  try {
    const note = readNote(dataFolder);
    if (note?.pid !== pid) return await end(pid);
    const own = note.users.indexOf(process.pid);
    const users = note.users.filter((user, index) => index !== own && isRunning(user));
    if (users.length > 0) return writeNote(dataFolder, { ...note, users });
    await end(pid);
    rmSync(noteIn(dataFolder), { force: true });
  } finally {
    unlock();
  }
}

/**
 * Starts the engine, or joins the running engine of the folder; its last user ends it. @param dataFolder undefined:
 * data are in memory @throws Failure if the note on a running engine is damaged, or if it does not start
 */
export async function startEngine(dataFolder?: string): Promise<Engine> {
  if (dataFolder === undefined) {
    const { pid, endpoint, unwatch } = await launchEngine(undefined);
    return { endpoint, stop: () => end(pid).finally(unwatch) };
  }
  const unlock = await lockEngine(dataFolder);
  try {
    const note = readNote(dataFolder);
    const joined = note && (await isServing(note)) ? note : undefined;
    const launched = joined ? undefined : await launchEngine(dataFolder);
    const { pid, endpoint } = launched ?? (joined as EngineNote);
    const others = joined?.users.filter((user) => isRunning(user)) ?? [];
    writeNote(dataFolder, { endpoint, pid, users: [...others, process.pid] });
    const stop = async () => {
      await leave(dataFolder, pid);
      if (!isRunning(pid)) launched?.unwatch();
    };
    return { endpoint, stop };
  } finally {
    unlock();
  }
}

export const engineAt = async (endpoint: string | undefined, dataFolder: string): Promise<Engine> =>
  endpoint ? { endpoint, stop: async () => {} } : startEngine(dataFolder);
