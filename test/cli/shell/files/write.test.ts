import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeFolder, replaceFile, writeNew } from '../../../../cli/shell/files/write.ts';
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

test('folders are for their owner only, also those above', () => {
  const folder = newFolder();
  makeFolder(join(folder, 'a', 'b'));
  expect(['a', 'a/b'].map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o700, 0o700]);
});

test('the end of a process removes its own files, and not what another process has put in the place of one', () => {
  const folder = newFolder();
  const module = fileURLToPath(new URL('../../../../cli/shell/files/removedAtExit.ts', import.meta.url));
  const source = `import { writeFileSync } from 'node:fs';
    const { removedAtExit } = await import(${JSON.stringify(module)});
    const write = (name) => writeFileSync(name, '');
    for (const name of ['own', 'freed']) write(name);
    removedAtExit('own');
    removedAtExit('freed')();
    write('freed');`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], { cwd: folder });
  expect([status, readdirSync(folder)]).toEqual([0, ['freed']]);
});
