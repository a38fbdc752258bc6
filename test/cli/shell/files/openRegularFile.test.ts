import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf, openRegularFile } from '../../../../cli/shell/files/openRegularFile.ts';
import { readExport } from '../../../../cli/store/exports/readExport.ts';
import { execute } from '../../../setup/execute.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

test.runIf(process.platform !== 'win32')('a pipe is no export and no statement', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  await execute(['mkfifo', pipe]);
  for (const reading of [readExport(pipe), linesOf(pipe)]) {
    await expect(reading.next()).rejects.toThrow(`${pipe} is a pipe or a device, not a file.`);
  }
});

test.runIf(process.platform === 'linux')('a file that is refused is closed', () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (const path of ['/dev/null', '/tmp']) expect(() => openRegularFile(path)).toThrow(/is a (pipe|folder)/);
  expect(openFiles()).toBe(before);
});
