import { execute } from '../setup/execute.ts';

const told = new Set<string>();

/**
 * Skips a test if this machine lacks a program, and says so once: the reporter only counts skipped tests.
 * @param detect a command that succeeds if the program is there
 * @param skip of the test
 */
export async function requireProgram(detect: readonly string[], skip: (reason: string) => void): Promise<void> {
  if ((await execute(detect)).exitCode === 0) return;
  const reason = `this machine cannot run "${detect.join(' ')}"`;
  if (!told.has(reason)) console.warn(`SKIPPED: ${reason}.`);
  told.add(reason);
  skip(reason);
}
