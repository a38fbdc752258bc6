import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Runs some work and measures the resident memory of this process at its peak, in MiB. Linux only. */
export async function peakMemory<Result>(work: () => Promise<Result>): Promise<{ result: Result; peak: number }> {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  // Resets the peak to the present memory. Source: proc_pid_clear_refs(5).
  writeFileSync('/proc/self/clear_refs', '5');
  const result = await work();
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return { result, peak: Number(kilobytes) / 1024 };
}
