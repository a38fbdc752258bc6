import { fork, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Job, runJob } from '../../review/figures/figuresJob.ts';
import { saysLocked } from '../../shell/files/lock.ts';
import { Failure, failureOf } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** The pause before a command that needs what another process has is tried again, in milliseconds. */
const AGAIN_MS = 500;

/**
 * Runs `ailog` in a process of its own, again and again while another process has locked what it needs.
 * @returns its exit code, null if it was killed or did not start, and what it said
 */
export async function runAilog(terminal: Terminal, args: readonly string[]) {
  const { cwd, env, signal } = terminal;
  const options = { cwd: cwd(), env, stdio: ['ignore', 'ignore', 'pipe'], signal } satisfies SpawnOptions;
  for (;;) {
    const child = spawn(process.execPath, [MAIN, ...args], options);
    const said: string[] = [];
    child.stderr?.setEncoding('utf8').on('data', (text) => said.push(text));
    const code = await new Promise<number | null>((resolve) =>
      child.on('close', resolve).on('error', () => resolve(null)),
    );
    const text = said.join('').trim();
    if (!saysLocked(text) || signal.aborted) return { code, said: text };
    await sleep(AGAIN_MS);
  }
}

const PROGRAM = fileURLToPath(import.meta.url);

type Done =
  | { readonly value: Awaited<ReturnType<typeof runJob>> }
  | { readonly failure: Pick<Failure, 'outcome' | 'message' | 'advice'> };

/** Returns a `runJob` with a process of its own: the page stays quick meanwhile, and the memory is free afterwards. */
export const workApart =
  (signal: AbortSignal): typeof runJob =>
  async (job) => {
    const child = fork(PROGRAM, [], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], signal });
    const done = await new Promise<Done>((resolve, reject) => {
      child.once('message', resolve as (message: unknown) => void);
      child.once('error', reject);
      child.once('exit', (code, by) =>
        reject(new Failure('internal', `The figures were not made: the process ended with ${by ?? code}.`)),
      );
      child.send(job);
    });
    if ('value' in done) return done.value;
    const { outcome, message, advice } = done.failure;
    throw new Failure(outcome, message.split('\n'), { advice });
  };

if (process.argv[1] === PROGRAM && process.send) {
  // The console has ended.
  process.once('disconnect', () => process.exit());
  process.once('message', async (job: Job) => {
    const done: Done = await runJob(job).then(
      (value) => ({ value }),
      (error) => {
        const { outcome, message, advice } = failureOf(error);
        return { failure: { outcome, message, advice } };
      },
    );
    process.send?.(done, () => process.disconnect());
  });
}
