import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import cliPackage from '../../cli/package.json' with { type: 'json' };
import { BUILD_OPTIONS, SOURCES } from '../../infra/build/bundle.ts';
import { FOLDER_ORDER } from './folderOrder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The other top-level folders, and the data file, that each folder may import from. */
const ALLOWED: Record<string, string[]> = {
  functions: [],
  infra: ['functions'],
  // The command line reads its version from package.json.
  cli: ['functions', 'infra', 'package.json'],
};

/** The packages that the functions may import. Each of them is in a bundle. */
const FUNCTION_PACKAGES = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-kms',
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-dynamodb',
  '@middy/core',
  '@middy/http-json-body-parser',
  '@smithy/core',
  'hyparquet',
  'hyparquet-writer',
  'ipaddr.js',
  'p-map',
];

/** The files of functions/ that are in no bundle: they only declare types, or are compiled into another file. */
const NOT_IN_BUNDLE = ['functions/ailog/schema.ts', 'functions/ailog/validator.d.ts', 'functions/upload/request.ts'];

/** The folders of functions/ that are one function each. The others are concepts. */
const PIPELINES = ['functions/upload/', 'functions/sequencer/', 'functions/indexer/'];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly typeOnly: boolean;
}

/** Returns all imports in the TypeScript files of a folder: static, type-only, bare and dynamic. */
const importsOf = (folder: string): Import[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const found = text.matchAll(
      /^(?:import|export)( type)?\b[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms,
    );
    return [...found].map(([, type, from, bare, dynamic]) => ({
      file,
      from: (from ?? bare ?? dynamic) as string,
      typeOnly: type !== undefined,
    }));
  });

const pathOf = ({ file, from }: Import) =>
  from.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), from)) : undefined;

const packageOf = (from: string) =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');

const folderOf = (one: Import) => pathOf(one)?.split('/')[0];

test('each top-level folder imports only from those that it may', () => {
  const crossing = Object.entries(ALLOWED).flatMap(([folder, allowed]) =>
    importsOf(folder).filter((one) => {
      const target = folderOf(one);
      return target !== undefined && target !== folder && !allowed.includes(target);
    }),
  );
  expect(crossing).toEqual([]);
});

/** The most folders that a folder of the command line may have. */
const MOST_FOLDERS = 9;

/** Returns the entry of a folder that a path is in: a folder, or a file directly in it. */
const entryIn = (top: string, path: string) => path.slice(top.length + 1).split('/')[0] as string;

test('the order of a folder lists every folder and file in it', () => {
  for (const [top, order] of Object.entries(FOLDER_ORDER)) {
    const paths = globSync(`${top}/**/*.{ts,tsx,js}`, { cwd: ROOT, exclude: ['**/node_modules'] });
    const entries = [...new Set(paths.map((path) => entryIn(top, path)))];
    const listed = order.includes('*') ? entries.filter((name) => !/\.(ts|tsx|js)$/.test(name)) : entries;
    expect([top, listed.sort()]).toEqual([top, order.filter((name) => name !== '*').sort()]);
  }
});

test('each entry of a folder imports only from those below it', () => {
  const upwards = Object.entries(FOLDER_ORDER).flatMap(([top, order]) => {
    const placeOf = (path: string) => {
      const place = order.indexOf(entryIn(top, path));
      return place >= 0 ? place : order.indexOf('*');
    };
    return importsOf(top).flatMap((one) => {
      const target = pathOf(one);
      if (target === undefined || !target.startsWith(`${top}/`)) return [];
      return placeOf(target) < placeOf(one.file) ? [`${one.file} → ${target}`] : [];
    });
  });
  expect(upwards).toEqual([]);
});

test('each folder of cli/ that has folders has an order, and at most nine of them', () => {
  const folders = globSync('cli/**/', { cwd: ROOT, exclude: ['**/node_modules'] }).map((path) =>
    path.replace(/\/$/, ''),
  );
  const parents = Map.groupBy(
    folders.filter((path) => path !== 'cli' && !path.endsWith('/sql')),
    (path) => dirname(path),
  );
  expect([...parents.keys()].filter((path) => !(path in FOLDER_ORDER))).toEqual([]);
  expect([...parents].filter(([, children]) => children.length > MOST_FOLDERS)).toEqual([]);
});

/** Returns the import circles among files, each as a path of files. */
function circlesIn(imports: readonly Import[]): string[] {
  const graph = Map.groupBy(imports, ({ file }) => file);
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const target of new Set((graph.get(file) ?? []).map(pathOf))) {
      if (target !== undefined) visit(target, [...path, file]);
    }
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

test('there are no import circles, types included', () => {
  expect(circlesIn(Object.keys(ALLOWED).flatMap(importsOf))).toEqual([]);
});

test('the checks find existing imports and circles', () => {
  expect(importsOf('functions').some((one) => folderOf(one) === 'functions')).toBe(true);
  expect(importsOf('infra').some((one) => folderOf(one) === 'functions')).toBe(true);
  const one = { file: 'a/one.ts', from: './two.ts', typeOnly: true };
  const two = { file: 'a/two.ts', from: '../b/three.ts', typeOnly: false };
  const three = { file: 'b/three.ts', from: '../a/one.ts', typeOnly: false };
  expect(circlesIn([one, two, three])).toEqual(['a/one.ts → a/two.ts → b/three.ts → a/one.ts']);
  expect(circlesIn([one, two])).toEqual([]);
});

test('concept folders of functions/ import neither Middy nor a function', () => {
  const inPipeline = (path: string | undefined) => PIPELINES.some((folder) => path?.startsWith(folder));
  const concepts = importsOf('functions').filter(({ file }) => !inPipeline(file));
  const wrong = concepts.filter((one) => one.from.startsWith('@middy/') || inPipeline(pathOf(one)));
  expect(wrong).toEqual([]);
});

test('functions/c2sp imports nothing of this project and no package', () => {
  const wrong = importsOf('functions/c2sp').filter(
    (one) => !pathOf(one)?.startsWith('functions/c2sp/') && !one.from.startsWith('node:'),
  );
  expect(wrong).toEqual([]);
});

/** Returns the files of functions/ that have code in a bundle. */
async function bundledFrom(sources: typeof SOURCES.upload): Promise<string[]> {
  const { metafile } = await build({ ...BUILD_OPTIONS, ...sources, write: false, outdir: 'out', metafile: true });
  return Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {})
    .filter(([path, { bytesInOutput }]) => path.startsWith('functions/') && bytesInOutput > 0)
    .map(([path]) => path);
}

test('functions/ contains exactly the deployed code, and no function has code of another', async () => {
  const bundled = await Promise.all(
    Object.entries(SOURCES).map(async ([name, sources]) => ({ name, paths: await bundledFrom(sources) })),
  );
  const all = bundled.flatMap(({ paths }) => paths);
  const files = globSync('functions/**/*.{ts,js}', { cwd: ROOT });
  expect([...new Set([...all, ...NOT_IN_BUNDLE])].sort()).toEqual(files.sort());
  const foreign = bundled.flatMap(({ name, paths }) => {
    const others = PIPELINES.filter((folder) => folder !== `functions/${name}/`);
    return paths.filter((path) => others.some((folder) => path.startsWith(folder)));
  });
  expect(foreign).toEqual([]);
});

test('functions/ and infra/ import no package of the command line', () => {
  const packages = Object.keys({ ...cliPackage.dependencies, ...cliPackage.devDependencies });
  const wrong = ['functions', 'infra'].flatMap(importsOf).filter(({ from }) => packages.includes(packageOf(from)));
  expect(wrong).toEqual([]);
});

test('the functions import exactly the allowed packages, apart from types', () => {
  const used = importsOf('functions')
    .filter(({ from, typeOnly }) => !from.startsWith('.') && !from.startsWith('node:') && !typeOnly)
    .map(({ from }) => packageOf(from));
  expect([...new Set(used)].sort()).toEqual(FUNCTION_PACKAGES);
});
