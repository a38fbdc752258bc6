import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

/** Returns the files that a program can load, with their imports. */
async function filesOf(entryPoint: string) {
  const { metafile } = await build({
    entryPoints: [entryPoint],
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
  });
  return metafile;
}

/**
 * Lists the packages that a program imports when it starts, and those that it imports only when a command needs them.
 */
async function packagesOf(entryPoint: string) {
  const metafile = await filesOf(entryPoint);
  /** The files that are loaded from these files, themselves included. */
  const reach = (files: readonly string[], kinds: readonly string[]): Set<string> => {
    const reached = new Set(files);
    for (const file of reached) {
      for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
        if (!external && kinds.includes(kind)) reached.add(path);
      }
    }
    return reached;
  };
  const packagesIn = (files: Iterable<string>) => {
    const imports = [...files].flatMap((file) => metafile.inputs[file]?.imports ?? []);
    const names = imports
      .filter(({ path, external, kind }) => external && kind === 'import-statement' && !path.startsWith('node:'))
      .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] as string);
    return [...new Set(names)].sort();
  };
  const atStart = packagesIn(reach([entryPoint], ['import-statement']));
  const all = packagesIn(reach([entryPoint], ['import-statement', 'dynamic-import']));
  return { atStart, later: all.filter((name) => !atStart.includes(name)) };
}

test('npm start needs only dependencies to start', async () => {
  const { atStart } = await packagesOf('cli/local/start.ts');
  expect(atStart.filter((name) => !(name in packageJson.dependencies))).toEqual([]);
  expect(atStart).toContain('@aws-sdk/client-dynamodb');
});

test('ailog loads two small packages to start, and the others when a command needs them', async () => {
  const { atStart } = await packagesOf('cli/main.ts');
  expect(atStart).toEqual(['@commander-js/extra-typings', 'string-width']);
});

test('of the commands, only ops cost needs development packages', async () => {
  const { later } = await packagesOf('cli/main.ts');
  expect(later).toContain('@aws-sdk/client-dynamodb');
  expect(later.filter((name) => !(name in packageJson.dependencies))).toEqual(['aws-cdk-lib', 'cdk-nag', 'constructs']);
});

test.each(['sign', 'upload', 'doctor'])('ailog %s loads no AWS SDK', async (command) => {
  const { atStart } = await packagesOf(`cli/team/${command}.ts`);
  expect(atStart).toContain('@commander-js/extra-typings');
  expect(atStart.filter((name) => name.startsWith('@aws-sdk/'))).toEqual([]);
});

test('only the commands that read all entries load worker threads', async () => {
  const inputs = async (command: string) => Object.keys((await filesOf(`cli/${command}.ts`)).inputs);
  for (const command of ['pack/main', 'logs/list', 'logs/show', 'keys/list', 'allowlist/list']) {
    expect(await inputs(command)).not.toContain('cli/entries/pageWorkers.ts');
  }
  expect(await inputs('logs/export')).toContain('cli/entries/pageWorkers.ts');
});
