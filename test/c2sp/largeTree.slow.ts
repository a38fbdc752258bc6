import { expect, test } from 'vitest';
import { rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { entriesOf, memoryLog, plainRoot } from './trees.ts';

test('70 000 leaves are the tiles that C2SP tlog-tiles names', () => {
  const log = memoryLog();
  log.append(entriesOf(70_000));
  const paths = [...log.files.keys()];
  expect(paths.filter((path) => /^tile\/0\/(x\d{3}\/)?\d{3}$/.test(path))).toHaveLength(273);
  expect(paths.filter((path) => /^tile\/entries\/(x\d{3}\/)?\d{3}$/.test(path))).toHaveLength(273);
  expect(paths.filter((path) => /^tile\/[1-9]/.test(path) || path.includes('.p/'))).toEqual([
    'tile/entries/273.p/112',
    'tile/0/273.p/112',
    'tile/1/000',
    'tile/1/001.p/17',
    'tile/2/000.p/1',
  ]);
});

test('a log that grows beyond two full levels of tiles has the tree of its entries', async () => {
  const entries = entriesOf(66_500);
  const log = memoryLog();
  log.append(entries.slice(0, 65_535));
  log.append(entries.slice(65_535));
  expect(rootOfEdge(log.edge())).toEqual(plainRoot(entries));
  expect(await log.read(66_500).rootOf(66_500)).toEqual(plainRoot(entries));
});
