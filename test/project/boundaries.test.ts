import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Which top-level folders the code of a folder may import from, besides itself. */
const ALLOWED: Record<string, string[]> = {
  functions: [],
  infra: ['functions'],
  cli: ['functions', 'infra'],
};

/** Packages that the function may use; all of them are in its bundle. */
const FUNCTION_PACKAGES = [
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-kms',
  '@aws-sdk/lib-dynamodb',
  '@middy/core',
  '@middy/http-json-body-parser',
  '@smithy/core',
  'bcp-47',
  'ipaddr.js',
];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly typeOnly: boolean;
}

const imports = (folder: string): Import[] =>
  globSync(`${folder}/**/*.ts`, { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(/^(import|export)( type)?\b[^;]*?from '([^']+)'|^import '([^']+)'/gms)].map(
      ([, , type, from, bare]) => ({ file, from: (from ?? bare) as string, typeOnly: type !== undefined }),
    );
  });

const pathOf = ({ file, from }: Import) =>
  from.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), from)) : undefined;

const folderOf = (one: Import) => pathOf(one)?.split('/')[0];

describe.each(Object.entries(ALLOWED))('%s', (folder, allowed) => {
  test(`imports from ${[folder, ...allowed].join(' and ')} only`, () => {
    const crossing = imports(folder).filter((one) => {
      const target = folderOf(one);
      return target !== undefined && target !== folder && !allowed.includes(target);
    });
    expect(crossing).toEqual([]);
  });
});

test('the check sees imports at all', () => {
  expect(imports('functions').some((one) => folderOf(one) === 'functions')).toBe(true);
  expect(imports('infra').some((one) => folderOf(one) === 'functions')).toBe(true);
});

test('the function uses the packages that are meant for it, and types of others at most', () => {
  const used = imports('functions')
    .filter(({ from, typeOnly }) => !from.startsWith('.') && !from.startsWith('node:') && !typeOnly)
    .map(({ from }) =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  expect([...new Set(used)].sort()).toEqual(FUNCTION_PACKAGES);
});
