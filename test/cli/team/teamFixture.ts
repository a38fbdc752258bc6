import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type RunOptions, runCommand } from '../../setup/commandLine.ts';
import { type Ran, type Running, start } from '../../setup/execute.ts';
import { startFaultProxy } from '../../setup/faults.ts';
import { openFixture, type Team } from '../../setup/fixture.ts';
import { overHttp, type Transport } from '../../setup/transports.ts';

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));

/** A non-ASCII log with spaces that must be kept. */
export const LOG = '{ "stage":"决策", "model":"GPT-5-mini","input":{"提示":"📉"},"output":{},\n"explanation":"é" }\n';

/** Creates a folder with these files. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-team-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Opens the local service, a faulty connection to it, and the commands of teams. */
export async function openTeamFixture() {
  const fixture = await openFixture();
  const transport: Transport = await overHttp(fixture);
  const [, service = ''] = /listening on (\S+)/i.exec(transport.output()) ?? [];
  const way = await startFaultProxy(service);

  /** Returns the environment of a team that uploads through the faulty connection. */
  const environmentOf = (team: Team): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    AILOG_URL: way.url,
    AILOG_ACCESS_KEY: team.accessKey,
    AILOG_SECRET: team.secret,
    AILOG_PASSPHRASE: team.passphrase,
  });
  return {
    fixture,
    way,
    service,
    environmentOf,

    /** Starts a command as a team, in a process of its own that can be killed. */
    start: (team: Team, args: readonly string[], input = ''): Running =>
      start([process.execPath, MAIN, ...args], { input, env: environmentOf(team) }),

    /** Runs a command as a team, and checks that it prints neither secret nor passphrase. */
    async run(team: Team, args: readonly string[], { env = {}, ...rest }: RunOptions = {}): Promise<Ran> {
      const ran = await runCommand(args, { ...rest, env: { ...environmentOf(team), ...env } });
      expect(ran.stdout + ran.stderr).not.toContain(team.secret);
      expect(ran.stdout + ran.stderr).not.toContain(team.passphrase);
      return ran;
    },

    async close(): Promise<void> {
      way.close();
      await transport.close();
    },
  };
}

/** The local service and its teams. */
export type TeamFixture = Awaited<ReturnType<typeof openTeamFixture>>;
