import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { headOf } from './measure.ts';

/** The head of the table that `measureProgram` returns rows of. */
export const PROGRAM_HEAD = headOf('| command | time | its CPU time | peak memory |');

/** Code that a program runs when it exits. It prints the peak memory in kilobytes and the CPU time in microseconds. */
const HOOK =
  'process.on("exit", () => { const { maxRSS, userCPUTime: u, systemCPUTime: s } = process.resourceUsage(); console.error("peak", maxRSS, u + s) })';

/**
 * Runs a program in a folder, and shows and returns a row with its time, CPU time and peak memory.
 * @param path its path from this folder
 * @param expected its exit code
 * @throws Error with the end of its output if it exits with another code
 */
export function measureProgram(
  name: string,
  { folder, path, args, expected = 0 }: { folder: string; path: string; args: readonly string[]; expected?: number },
): string {
  const start = performance.now();
  const program = fileURLToPath(new URL(path, import.meta.url));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${HOOK}`, program, ...args],
    { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], maxBuffer: 2 ** 30 },
  );
  if (status !== expected) throw new Error(`${name}: ${stderr.slice(-2000)}`);
  const seconds = (performance.now() - start) / 1000;
  const [, kilobytes, microseconds] = /peak (\d+) (\d+)/.exec(stderr) ?? [];
  const cpu = Number(microseconds) / 1e6;
  const row = `| ${name} | ${seconds.toFixed(0)} s | ${cpu.toFixed(1)} s | ${Math.round(Number(kilobytes) / 1024)} MiB |`;
  // The rest may take an hour, or fail.
  console.error(row);
  return row;
}
