import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivate } from '../../../cli/local/makePrivate.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

test('a folder, its folders and its files become private; a link does not make its target so', () => {
  const root = temporaryFolder();
  const path = (name: string) => join(root, name);
  const modes = (...names: string[]) => names.map((name) => statSync(path(name)).mode & 0o777);
  writeFileSync(path('outside'), '');
  mkdirSync(path('data/log'), { recursive: true });
  for (const name of ['data/key', 'data/log/tile']) writeFileSync(path(name), '');
  symlinkSync(path('outside'), path('data/link'));
  for (const name of ['outside', 'data/key', 'data/log/tile']) chmodSync(path(name), 0o644);
  for (const name of ['data', 'data/log']) chmodSync(path(name), 0o755);
  makePrivate(path('data'));
  expect(modes('data', 'data/log', 'data/key', 'data/log/tile', 'outside')).toEqual([
    0o700, 0o700, 0o600, 0o600, 0o644,
  ]);

  makePrivate(path('new/data'));
  expect(modes('new/data')).toEqual([0o700]);
});
