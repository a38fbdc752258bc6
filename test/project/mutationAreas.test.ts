import { globSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { areaNames, areaOf } from '../mutation/areas.ts';

test('the files that an area changes, the tests that it runs and those that it leaves out exist', () => {
  const missing = areaNames.flatMap((name) => {
    const { mutate, include, exclude } = areaOf(name);
    const globs = [mutate[0] as string, ...include, ...exclude];
    return globs.filter((glob) => globSync(glob).length === 0).map((glob) => `${name}: ${glob}`);
  });
  expect(missing).toEqual([]);
});

test('each folder of the code is in an area', () => {
  const folders = globSync('{functions,cli,infra}/*').filter((path) => statSync(path).isDirectory());
  expect(folders.filter((folder) => !areaNames.some((name) => name.startsWith(folder)))).toEqual([]);
});
