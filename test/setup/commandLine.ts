import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createKeyFile } from '../../cli/local/localData.ts';
import { program as ailog } from '../../cli/main.ts';
import { type Program, runProgram } from '../../cli/shell/terminal/program.ts';
import { LOCAL_FOLDER, localPaths, localTables } from '../../cli/store/targets/data.ts';
import { startEngine } from '../../cli/store/targets/embeddedEngine.ts';
import { closedAtEnd } from './closing.ts';
import type { Ran } from './execute.ts';
import type { Fault } from './faults.ts';
import { openTables } from './tables.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** The surroundings of a command. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The text on standard input. */
  readonly input?: string;
  /**
   * The answers that a person types, one per question. A function acts while the question waits and returns the answer.
   * If set, the command runs in a terminal.
   */
  readonly types?: readonly (string | (() => Promise<string>))[];
  /** The width of the terminal. */
  readonly columns?: number;
  /** Writes both streams to `stdout`, in the order in which they are written. */
  readonly mixed?: boolean;
  /** Another program than `ailog`. */
  readonly program?: Program;
  /** Aborted to interrupt the command. */
  readonly signal?: AbortSignal;
  /** Called with what it writes to standard error. */
  readonly says?: (text: string) => void;
}

/** Returns a stream that collects its output. With `isTTY`, it looks like a terminal. */
function collector(isTTY: boolean, columns: number) {
  const chunks: Buffer[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  stream.on('data', (chunk) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Runs a command in this process, with streams of its own in place of the process's. */
export async function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd = tmpdir(), env = {}, input, types, columns = 120, mixed, program = ailog, signal, says } = options;
  const isTTY = types !== undefined;
  const stdout = collector(isTTY, columns);
  const stderr = mixed ? stdout : collector(isTTY, columns);
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => stdin });
  if (input !== undefined) stdin.end(input);
  // A question hides the cursor when it starts. Text typed before that would be lost or answer another question.
  let asked = 0;
  stderr.stream.on('data', (chunk) => {
    says?.(String(chunk));
    if (!String(chunk).includes('\x1b[?25l')) return;
    const answer = types?.[asked++] ?? '';
    setImmediate(async () => stdin.write(typeof answer === 'string' ? answer : await answer()));
  });
  const exitCode = await runProgram(program, args, {
    env,
    stdin: stdin as never,
    stdout: stdout.stream as never,
    stderr: stderr.stream as never,
    cwd: () => cwd,
    ...(signal && { signal }),
  });
  return { exitCode, stdout: stdout.text(), stderr: mixed ? '' : stderr.text() };
}

/** Starts an engine for the local data in a folder. @param folder without local data, it gets a new key file */
export async function openLocalData(folder = temporaryFolder()) {
  const data = join(folder, LOCAL_FOLDER);
  const keyFile = join(folder, localPaths.key);
  if (!existsSync(data)) {
    mkdirSync(data);
    createKeyFile(keyFile);
  }
  const engine = await startEngine(data);
  const tables = await openTables({ target: { endpoint: engine.endpoint, names: localTables, keyFile } });
  return {
    ...tables,
    folder,
    endpoint: engine.endpoint,
    close: closedAtEnd(engine.stop),
    ailog: (args: readonly string[], options: RunOptions = {}) => runCommand(args, { cwd: folder, ...options }),
    /** Runs a command in the folder. Its writes to DynamoDB have these faults, one after the other. */
    async ailogWith(faults: readonly Fault[], args: readonly string[]): Promise<Ran> {
      const proxy = await tables.faulty();
      proxy.planWrites(...faults);
      const ran = await runCommand(args, { cwd: folder, env: { DYNAMODB_ENDPOINT: proxy.url } });
      proxy.close();
      return ran;
    },
    /** Writes a file to the folder. @returns its path */
    file(name: string, text: string | Buffer, mode = 0o600): string {
      const path = join(folder, name);
      writeFileSync(path, text, { mode });
      return path;
    },
  };
}
