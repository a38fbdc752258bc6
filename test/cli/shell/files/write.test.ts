import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile, writeNew } from '../../../../cli/shell/files/write.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const newFolder = () => temporaryFolder();

test('all files are written, for their owner only', () => {
  const folder = newFolder();
  writeNew(['a', 'b'].map((name) => ({ path: join(folder, name), text: name })));
  expect(readdirSync(folder)).toEqual(['a', 'b']);
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('b');
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600);
});

test('none is written if one exists', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'b'), 'mine');
  const files = ['a', 'b', 'c'].map((name) => ({ path: join(folder, name), text: name }));
  expect(() => writeNew(files)).toThrow(`The file ${join(folder, 'b')} already exists.`);
  expect(readdirSync(folder)).toEqual(['b']);
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('mine');
});

test('none stays if one cannot be written', () => {
  const folder = newFolder();
  const files = ['a', 'missing/b'].map((name) => ({ path: join(folder, name), text: name }));
  expect(() => writeNew(files)).toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual([]);
});

test('nothing stays of a file that cannot be replaced', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'a'));
  expect(() => replaceFile(join(folder, 'a'), 'new')).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['a']);
});
