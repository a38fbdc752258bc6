import { execFile } from 'node:child_process';
import { expect } from 'vitest';
import type { Finding } from '../../cli/proof/audit/findings.ts';
import { MAIN, type Team, UNREACHABLE } from '../setup/world.ts';
import type { Deployed } from './cdk.ts';
import type { Emulator } from './emulator.ts';

/** An endpoint where nothing listens. */

/** The parts of an audit's result that the tests compare. */
interface Audit {
  readonly findings: readonly Finding[];
  readonly [figure: string]: unknown;
}

/** The output and the exit code of a command. */
type Result = Readonly<{ code: number; stdout: string; stderr: string }>;

/** The `ailog` command line on a deployed stack, for admins, reviewers and teams. */
export const ailogOf = ({ environment, folder }: Emulator, { stackName, baseUrl }: Deployed) => {
  const ailog = (args: readonly string[], { input = '', env = {} } = {}): Promise<Result> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [MAIN, ...args],
        { cwd: folder, env: { ...environment, ...env }, timeout: 300_000, maxBuffer: 2 ** 26 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
      child.stdin?.end(input);
    });

  /** Runs a command on the stack and expects success. @returns its stdout */
  const onStack = async (...args: string[]): Promise<string> => {
    const result = await ailog([...args, '--stack', stackName]);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout;
  };

  return {
    onStack,

    /** Runs a command without AWS, and expects success. @returns its stdout */
    offline: async (...args: string[]): Promise<string> => {
      const result = await ailog(args, { env: { AWS_ENDPOINT_URL: UNREACHABLE, AWS_ENDPOINT_URL_S3: UNREACHABLE } });
      expect(result, result.stderr).toMatchObject({ code: 0 });
      return result.stdout;
    },

    /**
     * Audits the transparency log against the tables.
     * @returns the exit code, the findings, each as kind, UID and entry id, and what they say
     */
    audit: async (...args: string[]) => {
      const { code, stdout, stderr } = await ailog(['tlog', 'audit', ...args, '--stack', stackName, '--json']);
      expect([0, 1], stderr).toContain(code);
      const { findings, ...figures }: Audit = JSON.parse(stdout);
      const names = findings.map(({ kind, uid, entryId }) => [kind, uid, entryId].join(' '));
      return { code, figures, names: names.sort(), problems: findings.map(({ problem }) => problem).join('\n') };
    },

    allow: (uid: string) => onStack('allowlist', 'add', uid),
    remove: (uid: string) => onStack('allowlist', 'remove', uid, '--yes'),

    issueKey: async (uid: string): Promise<Team> =>
      JSON.parse(await onStack('keys', 'issue', uid, '--unlisted', '--json'))[0],

    upload: ({ accessKey, secret, passphrase }: Team, log: string) =>
      ailog(['upload', '-', '--url', baseUrl, '--json'], {
        input: log,
        env: { AILOG_ACCESS_KEY: accessKey, AILOG_SECRET: secret, AILOG_PASSPHRASE: passphrase },
      }),

    /** Exports every entry of a UID as a line of JSON, oldest first. */
    exportLogs: async (uid: string): Promise<string[]> =>
      (await onStack('logs', 'export', '--uid', uid)).split('\n').filter(Boolean).sort(),

    /** Verifies every entry of a UID. Fails if a check of one fails. */
    verifyLogs: async (uid: string): Promise<{ ok: boolean; checks: Record<string, string> }[]> =>
      JSON.parse(await onStack('logs', 'verify', '--uid', uid, '--json')),
  };
};
