import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Team } from '../setup/fixture.ts';
import type { Deployed } from './cdk.ts';
import type { Emulator } from './emulator.ts';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** What a command said, and its exit code. */
interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The `ailog` command line on a deployed stack, as its admins, its reviewers and its teams have it. */
export const ailogOf = ({ environment, folder }: Emulator, { stackName, baseUrl }: Deployed) => {
  const ailog = (args: readonly string[], { input = '', env = {} } = {}): Promise<Said> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [MAIN, ...args],
        { cwd: folder, env: { ...environment, ...env }, timeout: 60_000, maxBuffer: 2 ** 26 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
      child.stdin?.end(input);
    });

  /** A command on the stack that must succeed: what it says on stdout. */
  const onStack = async (...args: string[]): Promise<string> => {
    const said = await ailog([...args, '--stack', stackName]);
    expect(said, said.stderr).toMatchObject({ code: 0 });
    return said.stdout;
  };

  return {
    allow: (uid: string) => onStack('allowlist', 'add', uid),
    remove: (uid: string) => onStack('allowlist', 'remove', uid, '--yes'),

    issueKey: async (uid: string): Promise<Team> => JSON.parse(await onStack('keys', 'issue', uid, '--json')),

    /** Uploads a log as a team. */
    upload: ({ accessKey, secret, passphrase }: Team, log: string) =>
      ailog(['upload', '-', '--url', baseUrl, '--json'], {
        input: log,
        env: { AILOG_ACCESS_KEY: accessKey, AILOG_SECRET: secret, AILOG_PASSPHRASE: passphrase },
      }),

    /** Every entry of a UID, a line of JSON each, oldest first. */
    exportLogs: async (uid: string): Promise<string[]> =>
      (await onStack('logs', 'export', '--uid', uid)).split('\n').filter(Boolean).sort(),

    /** What is said of every entry of a UID; fails where one does not hold. */
    verifyLogs: async (uid: string): Promise<{ ok: boolean; checks: Record<string, string> }[]> =>
      JSON.parse(await onStack('logs', 'verify', '--uid', uid, '--json')),
  };
};
