import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The program of the command line. */
export const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** The result of a program. `exitCode` is null if the program does not exist or a signal ended it. */
export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program. */
export interface Running {
  /** Returns what it has written so far, standard output first. */
  readonly output: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly pid: number | undefined;
  readonly ended: Promise<Ran>;
}

/** Returns what programs get from this run: its temporary folder, and stripped TypeScript. */
export const programEnvironment = (): NodeJS.ProcessEnv => ({
  TMPDIR: tmpdir(),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
});

/**
 * Starts a program, with the temporary folder of this run.
 * @param input the text on standard input
 * @param uid the user
 */
export function start(
  [program = '', ...args]: readonly string[],
  {
    env = process.env,
    cwd = tmpdir(),
    input = '',
    uid,
  }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string; uid?: number } = {},
): Running {
  const child = spawn(program, args, { cwd, uid, env: { ...programEnvironment(), ...env } });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  child.stdin.on('error', () => {}).end(input);
  const ended = new Promise<Ran>((resolve) => {
    child.once('error', () => resolve({ exitCode: null, ...output }));
    child.once('close', (exitCode) => resolve({ exitCode, ...output }));
  });
  const { pid } = child;
  return { output: () => output.stdout + output.stderr, kill: (signal) => child.kill(signal), pid, ended };
}

/** Runs a program until it ends. */
export const execute = (...args: Parameters<typeof start>): Promise<Ran> => start(...args).ended;
