import { globSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { areaNames, areaOf } from '../mutation/areas.ts';

test.each(areaNames)(
  '%s: there are the files that it changes, the tests that it runs, and those it leaves out',
  (name) => {
    const { mutate, include, exclude } = areaOf(name);
    const isThere = (glob: string) => globSync(glob).length > 0;
    expect(isThere(mutate[0] as string)).toBe(true);
    expect([...include, ...exclude].filter((glob) => !isThere(glob))).toEqual([]);
  },
);

test('each folder of the code is in an area', () => {
  const folders = globSync('{functions,cli,infra}/*').filter((path) => statSync(path).isDirectory());
  expect(folders.filter((folder) => !areaNames.some((name) => name.startsWith(folder)))).toEqual([]);
});
