import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { packTeamCommands } from '../../../cli/pack/pack.ts';
import { execute, temporaryFolder } from '../../setup/world.ts';
import { testPackedOn } from './packedSuite.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

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

const text = readFileSync(await packTeamCommands(temporaryFolder()), 'utf8');

test('the file imports only modules of Node, and contains nothing of the project that teams do not need', () => {
  const imported = [...text.matchAll(/^import .*? from "(.+?)";$/gm), ...text.matchAll(/\bimport\("(.+?)"\)/g)];
  expect(imported.length).toBeGreaterThan(5);
  const names = imported.map(([, name = '']) => name.replace(/^node:/, ''));
  expect(names.filter((name) => !builtinModules.includes(name))).toEqual([]);
  expect(text).not.toMatch(/@aws-sdk|devDependencies/);
});

test('no text of the file shows a command of teams without what must be typed before it', () => {
  const code = text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
  expect(code.match(/\bailog (upload|sign|doctor|verify)\b.*/g)).toBeNull();
});

/**
 * Compiles files with the library of ES2023, which Node 20.12 has, and returns what it does not know, such as
 * `cli/x.ts: groupBy`.
 */
async function newerThanNode20(files: readonly string[]): Promise<string[]> {
  const config = join(temporaryFolder(), 'tsconfig.json');
  const compilerOptions = { lib: ['es2023', 'es2024.string'], typeRoots: [join(ROOT, 'node_modules/@types')] };
  writeFileSync(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }));
  const { stdout } = await execute([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config], {
    cwd: ROOT,
  });
  const unknown = /^(\S+?)\(\d+,\d+\): error TS(?:2304|2339|2550|2552|2583|2585|2693): .*?'(\w+)'/gm;
  return [...stdout.matchAll(unknown)].map(([, file, name]) => `${file}: ${name}`);
}

test('the file uses nothing of JavaScript that Node 20.12 lacks', async () => {
  const packed = [...text.matchAll(/^\s*\/\/ ((?:cli|functions)\/\S+\.ts)$/gm)].map(([, name]) => name as string);
  expect(packed.length).toBeGreaterThan(50);
  const found = await newerThanNode20(packed.map((file) => join(ROOT, file)));
  expect(found.filter((one) => packed.includes(one.replace(/: .*/, '')))).toEqual([]);
});

test('what Node 20.12 lacks would be found', async () => {
  const newer = {
    'Map.groupBy([1], String)': 'groupBy',
    'Iterator.from([1])': 'Iterator',
    '[1].values().map(String)': 'map',
    'new Set([1]).union(new Set([2]))': 'union',
    'Promise.withResolvers()': 'withResolvers',
    'Array.fromAsync([1])': 'fromAsync',
  };
  const folder = temporaryFolder();
  const files = Object.keys(newer).map((code, n) => {
    const file = join(folder, `newer${n}.ts`);
    writeFileSync(file, `export const value = ${code};\n`);
    return file;
  });
  const found = Object.values(newer).map((name, n) => expect.stringMatching(new RegExp(`newer${n}\\.ts: ${name}$`)));
  expect((await newerThanNode20(files)).sort()).toEqual(found);
});

test('the file uses nothing of Node that Node 20.12 lacks', () => {
  const newer =
    /getBuiltinModule|import\.meta\.main|zstd(?!CompressSync)|\bglobSync\b|AbortSignal\.(any|timeout)|stripTypeScriptTypes|node:sqlite/g;
  expect(text.match(newer)).toBeNull();
});

testPackedOn([
  ["this project's Node", process.execPath],
  ['the Node of this machine', findSystemNode()],
]);
