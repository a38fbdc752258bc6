import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { derive } from '../../../../cli/review/figures/derivedFiles.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { flipBit } from '../rows/rowsData.ts';

const filesIn = (folder: string, end: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .sort();

test('a file is made once for what it derives from, for its owner only, and again for anything else', async () => {
  const folder = temporaryFolder();
  let made = 0;
  const make = async (from: unknown, rows: string | null) => {
    const { path, value } = await derive(folder, { from, rows }, async (own) => {
      made += 1;
      writeFileSync(own, `file ${made}`, { mode: 0o644 });
      return { made };
    });
    return [readFileSync(path, 'utf8'), value, statSync(path).mode & 0o777];
  };
  const first = ['file 1', { made: 1 }, 0o600];
  expect([await make('a', null), await make('a', null)]).toEqual([first, first]);
  expect([await make('b', null), await make('a', 'rows')]).toEqual([
    ['file 2', { made: 2 }, 0o600],
    ['file 3', { made: 3 }, 0o600],
  ]);
  expect(await make('a', null)).toEqual(first);
  expect(readdirSync(join(folder, 'temporary', String(process.pid)))).toEqual([]);
  const home = join(folder, 'figures');
  const modes = [home, ...readdirSync(home).map((name) => join(home, name))].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, ...Array(6).fill(0o600)]);
});

// biome-ignore format: a way a line
test.each<[string, (data: string, about: string) => void, boolean]>([
  ['cut', (data) => truncateSync(data, 1), true],
  ['empty', (data) => truncateSync(data), true],
  ['changed in one bit', (data) => flipBit(data, 9), true],
  ['gone', (data) => rmSync(data), false],
  ['not described', (_data, about) => rmSync(about), false],
  ['described otherwise', (_data, about) => flipBit(about, 801), true],
  ['described in part', (_data, about) => truncateSync(about, 20), true],
  ['described by what is no list', (_data, about) => writeFileSync(about, '{}'), true],
])('a file that is %s is made again', async (_how, damage, isNoted) => {
  const folder = temporaryFolder();
  const noted: string[] = [];
  let made = 0;
  const make = () =>
    derive(folder, { from: 'a', rows: null }, async (own) => writeFileSync(own, `file ${++made}`), (line) => noted.push(line));
  await make();
  const home = join(folder, 'figures');
  damage(join(home, String(filesIn(home, '.data'))), join(home, String(filesIn(home, '.json'))));
  for (let time = 0; time < 2; time += 1) expect(readFileSync((await make()).path, 'utf8')).toBe('file 2');
  expect(noted).toEqual(isNoted ? [expect.stringMatching(/^Made again, because it is damaged: /)] : []);
});

test('those of other rows, and all but the last twelve, are deleted when nobody has used them for five minutes', async () => {
  const folder = temporaryFolder();
  const make = (from: unknown, rows: string) =>
    derive(folder, { from, rows }, async (path) => writeFileSync(path, String(from)));
  const age = (minutes: number) => {
    for (const path of readdirSync(join(folder, 'figures')).map((name) => join(folder, 'figures', name))) {
      const at = new Date(statSync(path).mtimeMs - minutes * 60_000);
      utimesSync(path, at, at);
    }
  };
  const contents = () =>
    filesIn(join(folder, 'figures'), '.data')
      .map((name) => readFileSync(join(folder, 'figures', name), 'utf8'))
      .sort();
  await make('old', 'rows 1');
  const [orphan, foreign] = [`${randomUUID()}.data`, 'notes.data'];
  writeFileSync(join(folder, 'figures', orphan), 'of a process that was killed');
  writeFileSync(join(folder, 'figures', foreign), 'by hand');
  await make('new', 'rows 2');
  expect(contents()).toEqual(['by hand', 'new', 'of a process that was killed', 'old']);
  age(6);
  await make('newer', 'rows 2');
  expect(contents()).toEqual(['by hand', 'new', 'newer']);
  rmSync(join(folder, 'figures', foreign));
  // The clock of the file system counts in steps.
  age(1);
  for (let n = 10; n < 20; n += 1) await make(n, 'rows 2');
  age(6);
  // It is used again, and stays instead of a newer one.
  await make('new', 'rows 2');
  await make('last', 'rows 2');
  expect([contents().length, contents().includes('newer'), contents().includes('new')]).toEqual([12, false, true]);
  // The clock was set back since.
  age(-30);
  await make('next', 'rows 3');
  expect(contents()).toEqual(['next']);
});
