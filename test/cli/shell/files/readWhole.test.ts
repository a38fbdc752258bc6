import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeyFile } from '../../../../cli/local/localData.ts';
import { readSmallFile } from '../../../../cli/proof/evidence/smallFile.ts';
import { logFilesAt } from '../../../../cli/proof/log/publicFiles.ts';
import { readCredentials } from '../../../../cli/shell/files/credentialsFile.ts';
import { readOpened, readWhole } from '../../../../cli/shell/files/readWhole.ts';
import { readDemo } from '../../../../cli/store/targets/data.ts';
import { engineAt } from '../../../../cli/store/targets/embeddedEngine.ts';
import { fileSeal } from '../../../../cli/store/targets/seal.ts';
import { execute, temporaryFolder } from '../../../setup/world.ts';

const KIB = 1024;

/** Creates a file of zeros that takes no room on the disk. */
function ofSize(path: string, bytes: number): string {
  writeFileSync(path, '', { mode: 0o600 });
  truncateSync(path, bytes);
  return path;
}

// biome-ignore format: one case a line
test.each<[what: string, limitKib: number, says: string, read: (path: string) => unknown]>([
  ['a file', KIB, 'is larger than 1 MiB.', readWhole],
  ['a file with a limit of its own', 3, 'is larger than 3 KiB.', (path) => readWhole(path, 3 * KIB)],
  ['credentials', KIB, 'is larger than 1 MiB.', readCredentials],
  ['the file of the demo team', KIB, 'is larger than 1 MiB.', readDemo],
  ['a key that seals', KIB, 'is larger than 1 MiB.', fileSeal],
  ['a key of the local run', KIB, 'is larger than 1 MiB.', createKeyFile],
  ['a file of a log', 512, 'is larger than 512 KiB.', (path) => logFilesAt(join(path, '..'), join(path, '..'), new AbortController().signal).read('file')],
  ['the note of the engine', KIB, 'is damaged. It names the running engine.', (path) => engineAt(undefined, join(path, '..'))],
])('%s is read up to a limit, and longer ones are named', async (_what, limitKib, says, read) => {
  const folder = temporaryFolder();
  const path = join(folder, says.includes('engine') ? 'engine.json' : 'file');
  await expect((async () => read(ofSize(path, limitKib * KIB + 1)))()).rejects.toThrow(`${path} ${says}`);
  const atLimit = await (async () => read(ofSize(path, limitKib * KIB)))().catch((error: Error) => error);
  if (says.includes('larger')) expect(String(atLimit)).not.toContain('is larger than');
});

test.runIf(process.platform === 'linux')('a file that grows while it is read ends at the limit', async () => {
  // It says that it has no bytes.
  expect(readWhole('/proc/self/status').length).toBeGreaterThan(100);
  expect(() => readWhole('/proc/self/status', 100)).toThrow('/proc/self/status is larger than');
});

test('what is open is read from its place on', () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'abc');
  const file = openSync(path, 'r');
  try {
    expect(String(readOpened(path, file, 3))).toBe('abc');
    expect(String(readOpened(path, file, 3))).toBe('');
  } finally {
    closeSync(file);
  }
  expect(() => readOpened(path, file, 3)).toThrow(expect.objectContaining({ code: 'EBADF', path }));
});

test('what is no file is refused, and evidence says that it is longer than what was read', async () => {
  const folder = temporaryFolder();
  await execute(['mkfifo', join(folder, 'pipe')]);
  mkdirSync(join(folder, 'folder'));
  expect(() => readWhole(join(folder, 'pipe'))).toThrow('is a pipe or a device, not a file.');
  expect(() => readWhole(join(folder, 'folder'))).toThrow('is a folder, not a file.');
  for (const more of [0, 1]) {
    const { bytes, isWhole } = readSmallFile(ofSize(join(folder, 'file'), KIB * KIB + more));
    expect([bytes.length, isWhole]).toEqual([KIB * KIB, more === 0]);
  }
});
