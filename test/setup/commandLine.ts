import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { KEY_FILE, LOCAL_FOLDER, localTables } from '../../cli/local/data.ts';
import { createKeyFile } from '../../cli/local/demo.ts';
import { startEngine } from '../../cli/local/engine.ts';
import { run } from '../../cli/main.ts';
import type { Ran } from './execute.ts';
import { openFixture } from './fixture.ts';

/** How a command line is run. */
export interface Circumstances {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads from the standard input. */
  readonly input?: string;
  /** A person sits in front of it, and answers each question with one of these. */
  readonly types?: readonly string[];
  /** Aborted when the person wants to stop. */
  readonly signal?: AbortSignal;
}

/** A stream that keeps what is written to it, and looks like a terminal where it is to. */
function collector(isTTY: boolean) {
  const chunks: Buffer[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 });
  stream.on('data', (chunk) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Runs a command line in this process, as `main` does with the process's own streams. */
export async function runCommand(args: readonly string[], circumstances: Circumstances = {}): Promise<Ran> {
  const { cwd = tmpdir(), env = {}, input, types, signal } = circumstances;
  const isTTY = types !== undefined;
  const [stdout, stderr] = [collector(isTTY), collector(isTTY)];
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => stdin });
  if (input !== undefined) stdin.end(input);
  // A question hides the cursor when it begins; what is typed before that would be lost, or be another one's answer.
  let asked = 0;
  stderr.stream.on('data', (chunk) => {
    if (String(chunk).includes('\x1b[?25l')) setImmediate(() => stdin.write(types?.[asked++] ?? ''));
  });
  const exitCode = await run(args, {
    env,
    stdin: stdin as never,
    stdout: stdout.stream as never,
    stderr: stderr.stream as never,
    cwd: () => cwd,
    ...(signal && { signal }),
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** A folder with local data of its own, in an engine of its own that runs. */
export async function openLocalData() {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-cli-'));
  const data = join(folder, LOCAL_FOLDER);
  mkdirSync(data);
  const keyFile = join(folder, KEY_FILE);
  createKeyFile(keyFile);
  const engine = await startEngine(data);
  // Commands run in this process too, and would take the engine for one that they started and have to end.
  const note = join(data, 'engine.json');
  writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), owner: process.ppid }));
  const fixture = await openFixture({ target: { endpoint: engine.endpoint, names: localTables, keyFile } });
  return {
    folder,
    fixture,
    engine,
    /** Runs a command line there. */
    ailog: (args: readonly string[], circumstances: Circumstances = {}) =>
      runCommand(args, { cwd: folder, ...circumstances }),
    /** Writes a file there. @returns its path */
    file(name: string, text: string, mode = 0o600): string {
      const path = join(folder, name);
      writeFileSync(path, text, { mode });
      return path;
    },
  };
}

/** Local data, and the command line there. */
export type LocalData = Awaited<ReturnType<typeof openLocalData>>;
