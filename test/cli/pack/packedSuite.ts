import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { packTeamCommands } from '../../../cli/pack/pack.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import {
  execute,
  folderOf,
  LOG,
  type LoggedWorld,
  localWorld,
  serveLog,
  startRefusingProxy,
  startServer,
  type TeamWorld,
  temporaryFolder,
  world,
} from '../../setup/world.ts';
import { VECTORS, vectors } from '../../vectors/evidence/vectors.ts';

/** A server that never answers as the service does, by what it does with a connection. */
const servers: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes the connection at once': (socket) => socket.destroy(),
  'ends the connection at once': (socket) => socket.end(),
  'closes the connection after the request': (socket) => socket.once('data', () => socket.destroy()),
  hangs: () => {},
  'sends half an answer': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"code":'),
};

/**
 * Declares the tests of the packed command line: every command, also with servers that hang, close and are slow.
 * @param nodes the versions of Node by name, each with its program; undefined if it is not there
 * @param isPatient true for uploads that are tried again for half a minute
 */
export function testPackedOn(
  nodes: readonly (readonly [name: string, node: string | undefined])[],
  isPatient = false,
): void {
  let file: string;
  let work: TeamWorld;
  let data: LoggedWorld;
  beforeAll(async () => {
    file = await packTeamCommands(temporaryFolder());
    work = await world().served();
    data = await localWorld().sequenced({ isLive: true });
    for (const stage of ['one', 'two', 'three']) await data.upload({ stage });
    await data.sequence();
    await data.ailog(['statement', '--uid', data.owner.uid, '-o', 'team.statement']);
    writeFileSync(join(data.folder, 'tlog.policy'), (await data.ailog(['tlog', 'export-policy'])).stdout);
  });

  describe.each(nodes)('on %s', (_name, node) => {
    const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = tmpdir()) =>
      execute([node as string, file, ...args], { env, cwd });

    test.skipIf(!node)('it has the commands of teams', async () => {
      const { exitCode, stdout } = await run(['--help']);
      expect(exitCode).toBe(0);
      for (const name of ['upload', 'sign', 'doctor', 'verify', 'tlog'])
        expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
      expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    });

    test.skipIf(!node)('it shows commands as they must be typed', async () => {
      const { stdout } = await run(['verify', '--help']);
      expect(stdout).toMatch(
        /^Usage: node ailog\.mjs verify .*\n[\s\S]*\nExamples:\n( {2}# .+\n {2}node ailog\.mjs verify .*\n)+\n$/,
      );
      expect((await run(['upload'])).stderr).toContain('\nnode ailog.mjs upload --help shows the usage.\n');
    });

    test.skipIf(!node)('it checks a log, uploads it byte for byte and only once, and finds no problem', async () => {
      const team = await work.team();
      const env = work.environmentOf(team);
      const cwd = folderOf({ 'log.json': LOG, 'bad.json': '{}' });
      const first = await run(['upload', 'log.json', '--json'], env, cwd);
      expect(first.exitCode, first.stderr).toBe(0);
      expect(await run(['upload', 'log.json'], env, cwd)).toMatchObject({ exitCode: 0 });
      const entries = await work.entriesOf(team.uid);
      expect(entries.map(({ entryId }) => entryId)).toEqual([JSON.parse(first.stdout).entryId]);
      expect(entries[0]?.bodyBytes).toBe(Buffer.byteLength(LOG));
      expect(await run(['upload', 'bad.json'], env, cwd)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('40019'),
      });
      expect(await run(['upload', '--dir', '.'], env, cwd)).toMatchObject({ exitCode: 1 });
      expect(await run(['sign', 'log.json'], env, cwd)).toMatchObject({ exitCode: 0 });
      expect(await run(['doctor', 'log.json'], env, cwd)).toMatchObject({ exitCode: 0 });
    });

    test.skipIf(!node)('it says the words of the vectors in an empty environment', async () => {
      for (const { name, policy, exitCode } of vectors.filter(({ log }) => log === undefined)) {
        expect(await run(['verify', name, '--policy', policy], {}, VECTORS), name).toMatchObject({ exitCode });
      }
    });

    test.skipIf(!node)('it looks an entry up in a public log, and says whether a promise was kept', async () => {
      const { url, close } = await serveLog(join(VECTORS, 'log'));
      const look = (file: string) => run(['verify', file, '--log', `${url}/tlog`], {}, VECTORS);
      expect(await look('receipt.header')).toMatchObject({ exitCode: 0 });
      expect(await look('not-in-the-log.jsonl')).toMatchObject({ exitCode: 6 });
      const follow = ['tlog', 'follow', `${url}/tlog`, temporaryFolder(), '--policy', join(VECTORS, 'tlog.policy')];
      expect((await run(follow, {}, VECTORS)).exitCode).not.toBe(70);
      await close();
      expect(await look('receipt.header')).toMatchObject({ exitCode: 4 });
    });

    test.skipIf(!node)('it verifies a statement', async () => {
      const args = ['verify', 'team.statement', '--policy', 'tlog.policy'];
      expect(await run(args, {}, data.folder)).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/^ok: 5\. /),
      });
    });

    test.skipIf(!node)('it uses the proxy of HTTPS_PROXY, or says that this Node does not', async () => {
      const { host } = await startRefusingProxy();
      const env = { ...work.environmentOf(await work.team()), HTTPS_PROXY: `http://${host}` };
      for (const NODE_USE_ENV_PROXY of ['0', '1']) {
        const args = ['doctor', '--url', 'https://api.example.invalid'];
        const { exitCode, stdout, stderr } = await run(args, { ...env, NODE_USE_ENV_PROXY });
        expect(exitCode).toBe(4);
        expect(stdout + stderr).toMatch(/HTTP 407 of the proxy|HTTPS_PROXY is not used by Node v\d+/);
      }
    });

    test.skipIf(!node).concurrent.each(Object.entries(servers))(
      'it ends in order if the server %s',
      async (_name, handle) => {
        const { url, server } = await startServer(() => {});
        server.on('connection', handle);
        const env = { ...work.environmentOf(await work.team()), AILOG_URL: url };
        const cwd = folderOf({ 'log.json': LOG });
        const short = ['--timeout', '1s'];
        const doctor = await run(['doctor', ...short], env, cwd);
        expect([doctor.exitCode, doctor.stderr]).toEqual([4, expect.stringContaining('could not be reached.')]);
        if (!isPatient) return;
        const upload = await run(['upload', 'log.json', ...short, '--patience', '1s'], env, cwd);
        expect([upload.exitCode, upload.stderr]).toEqual([4, expect.stringMatching(/may or may not be stored after/)]);
      },
    );

    test.skipIf(!node)('it waits for a slow server', async () => {
      const team = await work.team();
      const { url } = await startServer(async (_request, response) => {
        await sleep(1500);
        response.writeHead(403).end('{"code":"40022","msg":"not listed"}');
      });
      const env = { ...work.environmentOf(team), AILOG_URL: url };
      const ran = await run(['upload', 'log.json'], env, folderOf({ 'log.json': LOG }));
      expect([ran.exitCode, ran.stderr]).toEqual([3, expect.stringContaining('40022: not listed')]);
    });
  });
}
