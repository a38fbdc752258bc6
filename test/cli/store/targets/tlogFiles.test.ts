import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { bucketFiles } from '../../../../cli/store/targets/bucketFiles.ts';
import { localIdentity } from '../../../../cli/store/targets/data.ts';
import { folderFiles, type TlogFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import { s3Storage } from '../../../../functions/sequencer/s3Storage.ts';
import { noDeadline, s3Error, startCloud, temporaryFolder } from '../../../setup/world.ts';

/** More files than a page of the bucket's list has. */
const PATHS = [
  'checkpoint',
  'checkpoints/1',
  'checkpoints/300',
  'tile/0/000',
  'tile/0/x001/234',
  'tile/entries/000.p/5',
];

const folder = temporaryFolder();

const cloud = await startCloud();
const s3 = new S3Client({ endpoint: cloud.way.url, ...localIdentity, maxAttempts: 1 });
const storage = s3Storage(s3, 'bucket', 'x/log');
for (const path of PATHS) {
  await storage.create(path, Buffer.from(path), noDeadline());
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), path);
}

describe.each<[name: string, open: () => TlogFiles, storedAt: (path: string) => number]>([
  ['a folder', () => folderFiles(folder), (path) => statSync(join(folder, path)).mtimeMs],
  // The header Last-Modified has whole seconds.
  [
    'a bucket',
    () => bucketFiles(s3, 'bucket', 'x/log'),
    (path) => Math.floor(Number(cloud.objects.get(`x/log/${path}`)?.storedAt) / 1000) * 1000,
  ],
])('%s', (_name, open, storedAt) => {
  const listed = async (prefix: string) => (await Array.fromAsync(open().list(prefix), ({ path }) => path)).sort();

  test('lists all files, page by page, or those of a folder', async () => {
    expect(await listed('')).toEqual(PATHS);
    expect(await listed('checkpoints/')).toEqual(['checkpoints/1', 'checkpoints/300']);
    expect(await listed('checkpoints/3')).toEqual(['checkpoints/300']);
    expect(await listed('tile')).toEqual(PATHS.slice(3));
    expect(await listed('staging/')).toEqual([]);
  });

  test('tells when a file was stored', async () => {
    for await (const { path, storedAt: at } of open().list(''))
      expect(Math.floor(at / 1000)).toBe(Math.floor(storedAt(path) / 1000));
  });

  test('reads a file', async () => {
    expect(Buffer.from((await open().read('tile/0/x001/234')) ?? []).toString()).toBe('tile/0/x001/234');
    expect(await open().read('checkpoints/2')).toBeUndefined();
  });
});

test('an error of the bucket is not a missing file', async () => {
  cloud.way.plan(s3Error(403, 'AccessDenied'));
  await expect(bucketFiles(s3, 'bucket', 'x/log').read('checkpoint')).rejects.toThrow();
  cloud.way.plan(s3Error(403, 'AccessDenied'));
  await expect(Array.fromAsync(bucketFiles(s3, 'bucket', 'x/log').list(''))).rejects.toThrow('AccessDenied');
});
