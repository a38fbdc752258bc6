import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

/** What a program did; `exitCode` is null where there is no such program, or where a signal ended it. */
export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Running {
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ran>;
}

/** Starts a program. @param input what it reads from the standard input */
export function start(
  [program = '', ...words]: readonly string[],
  { env = process.env, cwd = tmpdir(), input = '' }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string } = {},
): Running {
  const child = spawn(program, words, { cwd, env });
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
  return { kill: (signal) => child.kill(signal), ended };
}

/** Runs a program to its end. */
export const execute = (...args: Parameters<typeof start>): Promise<Ran> => start(...args).ended;
