import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRegularFile } from '../../../../cli/shell/files/openRegularFile.ts';
import { execute } from '../../../setup/execute.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

test.runIf(process.platform !== 'win32')('a pipe is not waited for', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  await execute(['mkfifo', pipe]);
  expect(() => openRegularFile(pipe)).toThrow(`${pipe} is a pipe or a device, not a file.`);
});

test.runIf(process.platform === 'linux')('a file that is refused is closed', () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (const path of ['/dev/null', '/tmp']) expect(() => openRegularFile(path)).toThrow(/is a (pipe|folder)/);
  expect(openFiles()).toBe(before);
});
