import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../../../cli/store/exports/exportFile.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

test('a file has its name when it is whole', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a');
  const returned = await writeWhole(path, async (write) => {
    write('whole');
    expect(existsSync(path)).toBe(false);
    return 7;
  });
  expect([returned, readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([7, 'whole', ['a']]);
});

test('nothing is left of work that fails', async () => {
  const folder = temporaryFolder();
  const writing = writeWhole(join(folder, 'a'), async (write) => {
    write('half');
    throw new Error('died');
  });
  await expect(writing).rejects.toThrow('died');
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that appears meanwhile stays as it is', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a');
  const writing = writeWhole(path, async (write) => {
    write('late');
    writeFileSync(path, path);
  });
  await expect(writing).rejects.toThrow('already exists');
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([path, ['a']]);
});

test('two cannot write one file at the same time', async () => {
  const path = join(temporaryFolder(), 'a');
  await writeWhole(path, async (write) => {
    write('first');
    await expect(writeWhole(path, async () => {})).rejects.toThrow(`is already writing ${path}`);
  });
  expect(readFileSync(path, 'utf8')).toBe('first');
});
