import { linkSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRegularFile } from '../../../../cli/shell/files/openRegularFile.ts';
import { openToAppend } from '../../../../cli/shell/files/write.ts';
import { execute, temporaryFolder } from '../../../setup/world.ts';

test.runIf(process.platform !== 'win32')('a pipe is not waited for', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  await execute(['mkfifo', pipe]);
  expect(() => openRegularFile(pipe)).toThrow(`${pipe} is a pipe or a device, not a file.`);
});

test.runIf(process.platform === 'linux')('a file that is refused is closed', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  linkSync(file, `${file} too`);
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (const path of ['/dev/null', '/tmp']) expect(() => openRegularFile(path)).toThrow(/is a (pipe|folder)/);
  expect(() => openToAppend(file)).toThrow('has another name, too.');
  expect(openFiles()).toBe(before);
});
