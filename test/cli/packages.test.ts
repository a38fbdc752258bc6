import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { expect, test } from 'vitest';
import { packedProgram } from '../../cli/pack/pack.ts';
import cliPackage from '../../cli/package.json' with { type: 'json' };
import rootPackage from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What an installation without development packages has. */
const dependencies = { ...rootPackage.dependencies, ...cliPackage.dependencies };

/** Returns the files that a program can load, with their imports. */
async function filesOf(program: BuildOptions) {
  const { metafile } = await build({
    ...program,
    absWorkingDir: ROOT,
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
  const metafile = await filesOf({ entryPoints: [entryPoint] });
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
  expect(atStart.filter((name) => !(name in dependencies))).toEqual([]);
  expect(atStart).toContain('@aws-sdk/client-dynamodb');
});

test('ailog loads two small packages to start, and the others when a command needs them', async () => {
  const { atStart } = await packagesOf('cli/main.ts');
  expect(atStart).toEqual(['commander', 'string-width']);
});

test('no command needs development packages', async () => {
  const { later } = await packagesOf('cli/main.ts');
  expect(later).toContain('@aws-sdk/client-dynamodb');
  expect(later.filter((name) => !(name in dependencies))).toEqual([]);
});

test.each(['sign', 'upload', 'doctor', 'verify'])('ailog %s loads no AWS SDK, DuckDB or Parquet', async (command) => {
  const { atStart, later } = await packagesOf(`cli/commands/${command}.ts`);
  expect(atStart).not.toContain('commander');
  expect([...atStart, ...later].filter((name) => /^(@aws-sdk|@duckdb|hyparquet)/.test(name))).toEqual([]);
});

test('DuckDB is loaded by the engine only, when it opens', async () => {
  const { inputs } = await filesOf({ entryPoints: ['cli/main.ts'] });
  const importing = Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ path }) => path.startsWith('@duckdb/')).map(({ kind }) => [file, kind]),
  );
  expect(importing).toEqual([['cli/store/duckdb/duckdb.ts', 'dynamic-import']]);
});

test('DuckDB and Parquet are loaded by what needs them, and are not in the program of teams', async () => {
  const isAnalysis = (path: string) => /duckdb|hyparquet/.test(path);
  for (const command of ['logs/list', 'logs/export', 'logs/show', 'keys/list', 'data/sync']) {
    expect((await packagesOf(`cli/commands/${command}.ts`)).atStart.filter(isAnalysis)).toEqual([]);
  }
  const imports = Object.values(
    (await filesOf({ stdin: { contents: await packedProgram(), resolveDir: ROOT, loader: 'ts' } })).inputs,
  ).flatMap((file) => file.imports);
  expect(imports.map(({ path }) => path).filter(isAnalysis)).toEqual([]);
  expect((await packagesOf('cli/review/rows/syncRows.ts')).atStart).toContain('hyparquet-writer');
});

test('commands of admins, sign and doctor load nothing of reviews, feature rows and audits to start', async () => {
  const { inputs } = await filesOf({ entryPoints: ['cli/main.ts'] });
  /** The files that are loaded with a file, itself included. */
  const loadedWith = (file: string): Set<string> => {
    const loaded = new Set([file]);
    for (const one of loaded) {
      for (const { path, kind, external } of inputs[one]?.imports ?? []) {
        if (!external && kind === 'import-statement') loaded.add(path);
      }
    }
    return loaded;
  };
  const light = Object.keys(inputs).filter((file) => /^cli\/commands\/(allowlist\/|keys\/|sign|doctor)/.test(file));
  const heavy = /^(cli\/review|functions\/features|cli\/proof\/audit)\//;
  expect(
    light.flatMap((file) =>
      [...loadedWith(file)].filter((one) => heavy.test(one)).map((one) => `${file} loads ${one}`),
    ),
  ).toEqual([]);
});
