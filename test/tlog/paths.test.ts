import { expect, test } from 'vitest';
import { parsePath } from '../../cli/audit/logPath.ts';
import { CHECKPOINT, checkpointPath, missingEntriesPath, stagingPath } from '../../functions/tlog/paths.ts';

const hash = '0123456789abcdef'.repeat(4);
const batch = { fromSize: 70_000, size: 70_003, root: Buffer.from(hash, 'hex') };

test('the files of a log have the paths that docs/proof.md names', () => {
  expect(CHECKPOINT).toBe('checkpoint');
  expect(checkpointPath(70_003)).toBe('checkpoints/70003');
  expect(stagingPath(batch)).toBe(`staging/70000-70003-${hash}`);
  expect(missingEntriesPath(hash)).toBe(`staging/missing-${hash}`);
});

test('the audit reads a path as what it was made of, and no other path', () => {
  expect(parsePath(checkpointPath(70_003))).toEqual({ is: 'checkpoint', size: 70_003 });
  expect(parsePath(stagingPath(batch))).toEqual({ is: 'staging', batch: { path: stagingPath(batch), ...batch } });
  expect(parsePath(missingEntriesPath(hash))).toEqual({ is: 'missing', sha256: hash });
  for (const path of [
    '3',
    'checkpoints/03',
    'checkpoints/3/4',
    `staging/${hash}`,
    `staging/-${hash}`,
    `staging/3-3-${hash}`,
    `staging/03-4-${hash}`,
    `staging/3-4-5-${hash}`,
    `staging/3-4-${hash.toUpperCase()}`,
    `other/3-4-${hash}`,
    `other/missing-${hash}`,
  ]) {
    expect([path, parsePath(path)]).toEqual([path, undefined]);
  }
});
