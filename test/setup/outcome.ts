import { expect } from 'vitest';

const having = (text: string | RegExp) =>
  typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);

/** What a run of a command matches that ends with this exit code and prints this among other things. */
export const shows = (exitCode: number, stdout: string | RegExp) => ({ exitCode, stdout: having(stdout) });

/** What a run of a command matches that ends with this exit code and says this on the standard error. */
export const notes = (exitCode: number, stderr: string | RegExp) => ({ exitCode, stderr: having(stderr) });

/** What a run of a command equals that ends with this exit code and only says this, on the standard error. */
export const says = (exitCode: number, stderr: unknown) => ({ exitCode, stdout: '', stderr });

/** What a run of a command equals that succeeds and only prints this. */
export const prints = (stdout: unknown) => ({ exitCode: 0, stdout, stderr: '' });
