import { accessSync, constants, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packTeamCommands } from '../../../cli/pack/pack.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { execute } from '../../setup/execute.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { folderOf, LOG, openTeamFixture, type TeamFixture } from '../team/teamFixture.ts';
import { makeEvidence } from '../tlog/evidenceFixture.ts';

/** Returns the Node that is installed on this machine, if there is one besides that of this project. */
function findSystemNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

let file: string;
const evidence = await makeEvidence();
let work: TeamFixture;
beforeAll(async () => {
  file = await packTeamCommands(temporaryFolder());
  work = await openTeamFixture();
});
afterAll(() => work.close());

test('the file imports only modules of Node, and contains nothing of the project that teams do not need', () => {
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/^import .*? from "(.+?)";$/gm), ...text.matchAll(/\bimport\("(.+?)"\)/g)];
  expect(imported.length).toBeGreaterThan(5);
  const names = imported.map(([, name = '']) => name.replace(/^node:/, ''));
  expect(names.filter((name) => !builtinModules.includes(name))).toEqual([]);
  expect(text).not.toMatch(/@aws-sdk|devDependencies/);
});

const systemNode = findSystemNode();
const nodes: [name: string, path: string | undefined][] = [
  ["this project's Node", process.execPath],
  ['the Node of this machine', systemNode],
];

describe.each(nodes)('on %s', (_name, node) => {
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = tmpdir()) =>
    execute([node as string, file, ...args], { env, cwd });

  test.skipIf(!node)('it has the commands of teams', async () => {
    const { exitCode, stdout } = await run(['--help']);
    expect(exitCode).toBe(0);
    for (const name of ['upload', 'sign', 'doctor', 'verify']) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  test.skipIf(!node)('it checks a log, uploads it byte for byte and only once, and finds no problem', async () => {
    const team = await work.fixture.team();
    const env = work.environmentOf(team);
    const cwd = folderOf({ 'log.json': LOG, 'bad.json': '{}' });
    const first = await run(['upload', 'log.json', '--json'], env, cwd);
    expect(first.exitCode, first.stderr).toBe(0);
    expect(await run(['upload', 'log.json'], env, cwd)).toMatchObject({ exitCode: 0 });
    const entries = await work.fixture.entriesOf(team.uid);
    expect(entries.map(({ entryId }) => entryId)).toEqual([JSON.parse(first.stdout).entryId]);
    expect(entries[0]?.bodyBytes).toBe(Buffer.byteLength(LOG));
    const { receipt } = JSON.parse(first.stdout);
    expect(await run(['upload', 'log.json', '--receipt', 'log.note'], env, cwd)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(cwd, 'log.note'), 'utf8')).toBe(Buffer.from(receipt, 'base64').toString());
    expect(await run(['upload', 'bad.json'], env, cwd)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('40019'),
    });
    expect(await run(['upload', '--dir', '.'], env, cwd)).toMatchObject({ exitCode: 1 });
    expect(await run(['sign', 'log.json'], env, cwd)).toMatchObject({ exitCode: 0 });
    expect(await run(['doctor', 'log.json'], env, cwd)).toMatchObject({ exitCode: 0 });
  });

  test.skipIf(!node)('it verifies a receipt and a proof in an empty environment, and finds a change', async () => {
    const { files } = evidence;
    const cwd = folderOf({ ...files, bad: files['mine.receipt'].replace('\n1001\n', '\n1003\n') });
    const args = ['verify', 'mine.receipt', 'mine.tlog-proof', '--policy', 'tlog.policy'];
    expect(await run(args, {}, cwd)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ok {6}mine\.receipt\n(.*\n)*ok {6}mine\.tlog-proof\n/),
    });
    expect(await run(['verify', 'bad'], {}, cwd)).toMatchObject({ exitCode: 1 });
  });
});
