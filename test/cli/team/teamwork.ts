import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Door, overHttp } from '../../setup/doors.ts';
import { execute, type Ran, type Running, start } from '../../setup/execute.ts';
import { faultyWay } from '../../setup/faults.ts';
import { openWorld, type Team } from '../../setup/world.ts';

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));

/** A log beyond ASCII, with spaces that must survive. */
export const LOG = '{ "stage":"决策", "model":"GPT-5-mini","input":{"提示":"📉"},"output":{},\n"explanation":"é" }\n';

/** How a command is run. */
export interface Circumstances {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** A new folder that holds these files; where a mode is given, with it. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-team-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The local service, a way to it on which things can go wrong, and the commands of teams. */
export async function openTeamwork() {
  const world = await openWorld();
  const door: Door = await overHttp(world);
  const [, service = ''] = /listening on (\S+)/i.exec(door.output()) ?? [];
  const way = await faultyWay(service);

  /** The environment of a team that uploads by the way. */
  const environmentOf = (team: Team): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    AILOG_URL: way.url,
    AILOG_ACCESS_KEY: team.accessKey,
    AILOG_SECRET: team.secret,
    AILOG_PASSPHRASE: team.passphrase,
  });
  const launch = (team: Team, args: readonly string[], { cwd = tmpdir(), env = {}, input = '' }: Circumstances = {}) =>
    start([process.execPath, MAIN, ...args], { cwd, input, env: { ...environmentOf(team), ...env } });

  return {
    world,
    way,
    service,

    /** Starts a command as a team. */
    start: (...args: Parameters<typeof launch>): Running => launch(...args),

    /** Runs a command as a team, and expects that it shows neither secret nor passphrase. */
    async run(team: Team, ...args: readonly [readonly string[], Circumstances?]): Promise<Ran> {
      const ran = await launch(team, ...args).ended;
      expect(ran.stdout + ran.stderr).not.toContain(team.secret);
      expect(ran.stdout + ran.stderr).not.toContain(team.passphrase);
      return ran;
    },

    /** Runs a command with this environment and no other. */
    runBare: (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
      execute([process.execPath, MAIN, ...args], { cwd, env: { PATH: process.env.PATH, ...env } }),

    async close(): Promise<void> {
      way.close();
      await door.close();
    },
  };
}

/** The local service and its teams, as tests use it. */
export type Teamwork = Awaited<ReturnType<typeof openTeamwork>>;
