import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../../shell/terminal/terminal.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

/**
 * Runs `ailog` in a process of its own, so that the page stays quick.
 * @returns its exit code, null if it was killed or did not start, and what it said
 */
export async function runAilog({ cwd, env, signal }: Terminal, args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    ...{ cwd: cwd(), env, stdio: ['ignore', 'ignore', 'pipe'], signal },
  });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text) => said.push(text));
  const code = await new Promise<number | null>((resolve) =>
    child.on('close', resolve).on('error', () => resolve(null)),
  );
  return { code, said: said.join('').trim() };
}
