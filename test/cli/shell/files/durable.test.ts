import fs, { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { folderStorage } from '../../../../cli/local/tlogFolder.ts';
import { openJournal } from '../../../../cli/proof/evidence/journal.ts';
import { createFile, replaceFile, settleFile, writeNew } from '../../../../cli/shell/files/write.ts';
import { writeWhole } from '../../../../cli/store/exports/exportFile.ts';
import { orUndefined } from '../../../../functions/orUndefined.ts';
import { localWorld, noDeadline, temporaryFolder } from '../../../setup/world.ts';

const { fsyncSync } = fs;
/** The paths that were flushed to the disk. Linux tells the path of a descriptor. */
let flushed: string[] = [];
beforeAll(() => {
  fs.fsyncSync = (descriptor) => {
    flushed.push(readlinkSync(`/proc/self/fd/${descriptor}`));
    fsyncSync(descriptor);
  };
  syncBuiltinESMExports();
});
afterAll(() => {
  fs.fsyncSync = fsyncSync;
  syncBuiltinESMExports();
});

/** Returns the paths of a folder and below it that this process has open. */
const openBelow = (folder: string) =>
  readdirSync('/proc/self/fd')
    .map((descriptor) => orUndefined(() => readlinkSync(`/proc/self/fd/${descriptor}`)))
    .filter((path) => path?.startsWith(folder));

const signal = noDeadline();
const owner = { url: 'https://a.example', accessKey: 'ailog_1', uid: '1' };

describe.runIf(process.platform === 'linux')('the name of a file is on the disk with the file', () => {
  // biome-ignore format: one case a line
  test.each<[string, (folder: string) => unknown]>([
    ['of a new file', (folder) => writeNew([{ path: join(folder, 'a'), text: 'a' }])],
    ['of a file that is created in one step', (folder) => createFile(join(folder, 'a'), 'a')],
    ['of a file that is replaced', (folder) => replaceFile(join(folder, 'a'), 'a')],
    ['of a result file', async (folder) => (await openJournal(join(folder, 'a'), owner)).close()],
    ['of an export', (folder) => writeWhole(join(folder, 'a'), async (write) => write('a'))],
    ['of a file of the transparency log', (folder) => folderStorage(folder).create('a', Buffer.from('a'), signal)],
    ['of a checkpoint that is replaced', (folder) => folderStorage(folder).replace('checkpoint', Buffer.from('a'), undefined, signal)],
  ])('%s', async (_name, write) => {
    const folder = temporaryFolder();
    flushed = [];
    await write(folder);
    expect(flushed.at(-1)).toBe(folder);
    expect(openBelow(folder)).toEqual([]);
  });

  test('and what another program wrote is there before anything names it, for its owner only', () => {
    const path = join(temporaryFolder(), 'a');
    writeFileSync(path, 'a', { mode: 0o644 });
    flushed = [];
    settleFile(path);
    expect([flushed, statSync(path).mode & 0o777, openBelow(path)]).toEqual([[path], 0o600, []]);
  });

  test('and each line of a result file before the next step', async () => {
    const path = join(temporaryFolder(), 'a');
    const journal = await openJournal(path, owner);
    for (const file of ['1.json', '2.json']) {
      flushed = [];
      journal.add({ file, state: 'sending', digest: 'ab' } as never);
      expect(flushed).toEqual([path]);
    }
    journal.close();
  });

  test('and each line of the record of who got which key', async () => {
    const { ailog, close, folder } = await localWorld();
    flushed = [];
    await ailog(['keys', 'issue', '61', '62', '--unlisted', '--yes', '--output-dir', 'keys']);
    await close();
    const record = join(folder, 'keys', 'handed-over.csv');
    // The names of the columns, and two keys.
    expect(flushed.filter((path) => path === record)).toHaveLength(3);
    expect(openBelow(join(folder, 'keys'))).toEqual([]);
  });

  test('and those of new folders above it', async () => {
    const folder = temporaryFolder();
    const storage = folderStorage(folder);
    flushed = [];
    await storage.create('tile/0/x001/000', Buffer.from('a'), signal);
    const folders = ['tile/0/x001', 'tile/0', 'tile'].map((path) => join(folder, path));
    for (const path of [...folders, folder]) expect(flushed).toContain(path);
  });
});

test('what killed runs left unfinished is removed, and not what another run is writing', () => {
  const folder = temporaryFolder();
  const unfinished = join(folder, '.unfinished');
  mkdirSync(unfinished);
  vi.useFakeTimers({ toFake: ['Date'], now: 1_763_112_660_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (const [name, age] of [
    ['old', 600_001],
    ['new', 600_000],
  ] as const) {
    writeFileSync(join(unfinished, name), 'a');
    const at = (Date.now() - age) / 1000;
    utimesSync(join(unfinished, name), at, at);
  }
  folderStorage(folder);
  expect(readdirSync(unfinished)).toEqual(['new']);
});

test('where there are no hard links, a new file gets its name all the same, and replaces nothing', () => {
  const { linkSync, renameSync } = fs;
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  try {
    const folder = temporaryFolder();
    const path = join(folder, 'a');
    writeFileSync(path, 'a');
    expect(createFile(path, 'b')).toBe(false);
    expect(createFile(join(folder, 'b'), 'b')).toBe(true);
    expect(['b'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['b']);
    expect(readdirSync(folder)).toEqual(['a', 'b']);
    fs.renameSync = () => {
      throw new Error('no rename');
    };
    syncBuiltinESMExports();
    expect(() => createFile(join(folder, 'c'), 'c')).toThrow('no rename');
    expect(readdirSync(folder)).toEqual(['a', 'b']);
  } finally {
    Object.assign(fs, { linkSync, renameSync });
    syncBuiltinESMExports();
  }
});
