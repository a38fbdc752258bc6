import { expect, test } from 'vitest';
import { parsePath } from '../../cli/proof/audit/listFiles.ts';
import {
  CHECKPOINT,
  checkpointPath,
  cosignedPath,
  headersOf,
  hintsPath,
  stagingPath,
} from '../../functions/tlog/paths.ts';

const hash = '0123456789abcdef'.repeat(4);
const batch = { fromSize: 70_000, size: 70_003, root: Buffer.from(hash, 'hex') };

test('the files of a log have the paths that docs/proof.md names', () => {
  expect(CHECKPOINT).toBe('checkpoint');
  expect(checkpointPath(70_003)).toBe('checkpoints/70003');
  expect(stagingPath(batch)).toBe(`staging/70000-70003-${hash}`);
  expect(cosignedPath(70_003)).toBe('cosigned/70003');
  expect(hintsPath('2025-11-14')).toBe('hints/2025-11-14');
});

test('the audit reads a path as what it was made of, and no other path', () => {
  expect(parsePath(checkpointPath(70_003))).toEqual({ kind: 'checkpoint', position: 70_003 });
  expect(parsePath(stagingPath(batch))).toEqual({ kind: 'other', position: 0 });
  expect(parsePath(cosignedPath(70_003))).toEqual({ kind: 'cosigned', position: 70_003 });
  expect(parsePath(hintsPath('2025-11-14'))).toEqual({ kind: 'other', position: 0 });
  // biome-ignore format: several a line
  for (const path of [
    '3', 'checkpoints/03', 'checkpoints/3/4', `staging/${hash}`, `staging/-${hash}`, `staging/03-4-${hash}`,
    `staging/3-4-5-${hash}`, `staging/3-4-${hash.toUpperCase()}`, `other/3-4-${hash}`, `staging/missing-${hash}`,
    'hints/2025-11-1', 'other/2025-11-14',
  ]) {
    expect([path, parsePath(path)]).toEqual([path, undefined]);
  }
});

test('a cache keeps a file for a year, except the newest checkpoint and hints, which are replaced', () => {
  const forever = 'public, max-age=31536000, immutable';
  const [text, bytes] = ['text/plain; charset=utf-8', 'application/octet-stream'];
  expect(
    [CHECKPOINT, hintsPath('2025-11-14'), checkpointPath(3), cosignedPath(3), 'tile/0/000', 'tile/entries/000'].map(
      (path) => [path, ...Object.values(headersOf(path))],
    ),
  ).toEqual([
    [CHECKPOINT, text, 'no-cache'],
    ['hints/2025-11-14', text, 'no-cache'],
    ['checkpoints/3', text, forever],
    ['cosigned/3', text, forever],
    ['tile/0/000', bytes, forever],
    ['tile/entries/000', bytes, forever],
  ]);
});
