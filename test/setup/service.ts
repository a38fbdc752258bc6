import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type RunOptions, runCommand } from './commandLine.ts';
import { MAIN, type Ran, type Running, start } from './execute.ts';
import { startFaultProxy } from './faults.ts';
import { startServer } from './server.ts';
import type { Tables, Team } from './tables.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { inProcess } from './transports.ts';
import { logText } from './upload.ts';

/** A non-ASCII log with spaces that must be kept. */
export const LOG = logText({ stage: '决策', model: 'GPT-5-mini', input: { 提示: '📉' }, explanation: 'é' })
  .replace('"model"', ' "model"')
  .replace(/"explanation".*}/, '\n$& \n');

/** Creates a folder with these files. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Starts the function behind HTTP in this process. @param skew milliseconds that its clock is ahead */
export async function startService(tables: Tables, skew = 0) {
  const transport = inProcess(tables.dependencies({ now: () => Date.now() + skew }));
  return startServer(async (request, response, body) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const sent = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    const { status, headers, text } = await transport.send({ method: 'POST', path, query, headers: sent, body });
    response.writeHead(status, headers).end(text);
  });
}

/** Opens the service, a faulty connection to it, and the commands of teams. @param skew as of `startService` */
export async function openService(tables: Tables, skew = 0) {
  const { url: service } = await startService(tables, skew);
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
  };
}

/** A service, and the commands of its teams. */
export type Service = Awaited<ReturnType<typeof openService>>;
