import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { allCases, load } from './cases.ts';
import { WITHOUT } from './without.ts';

/** The folders whose functions may see a body, a field, a file of a user or an answer of a witness. */
const FOLDERS = '{functions,cli/review,cli/store,cli/proof,cli/console,cli/shell}/**/*.ts';

/** A function, a class or a value of a module. A name in capitals is a constant. */
const EXPORT = /^export (?:default )?(?:async )?(?:function\*? ?|class |const )(?![A-Z0-9_]+\b)(\w+)/gm;

const exported = globSync(FOLDERS, { exclude: ['**/node_modules'] }).flatMap((file) =>
  Array.from(readFileSync(file, 'utf8').matchAll(EXPORT), ([, name]) => `${file} ${name}`),
);
const cases = allCases.map(({ name }) => name);
const isWithout = (one: string) => {
  const [file = '', name = ''] = one.split(' ');
  return WITHOUT[dirname(file)]?.split(/\s+/).includes(name) === true;
};

test('every exported function is tried with text of others, or is known to see none', () => {
  expect(exported.filter((one) => !cases.includes(one) && !isWithout(one))).toEqual([]);
});

test('no function is on both lists, and each that is on one of them exists', async () => {
  expect(cases.filter(isWithout)).toEqual([]);
  expect(cases.filter((one) => !exported.includes(one))).toEqual([]);
  const known = new Set(exported.map((one) => one.replace(/[^/]+ /, '')));
  const listed = Object.entries(WITHOUT).flatMap(([folder, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => `${folder}/${name}`),
  );
  expect(listed.filter((one) => !known.has(one))).toEqual([]);
  for (const one of allCases) expect([one.name, typeof (await load(one))]).toEqual([one.name, 'function']);
});
