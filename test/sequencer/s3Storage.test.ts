import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { localIdentity } from '../../cli/store/targets/data.ts';
import { s3Storage } from '../../functions/sequencer/s3Storage.ts';
import { s3Error, startCloud } from '../setup/cloud.ts';

const cloud = await startCloud();
const s3 = new S3Client({ endpoint: cloud.way.url, ...localIdentity });
const storage = s3Storage(s3, 'bucket', 'a/log');
const never = new AbortController().signal;
const bytes = (text: string) => Buffer.from(text);
let files = 0;
const newPath = () => {
  files += 1;
  return `tile/0/${files}`;
};

test('what was created is read as it was', async () => {
  expect(await storage.get('tile/0/000', never)).toBeUndefined();
  expect(await storage.create('tile/0/000', bytes('a'), never)).toBe('created');
  expect(Buffer.from((await storage.get('tile/0/000', never))?.bytes ?? [])).toEqual(bytes('a'));
});

describe('create', () => {
  test('tells the same bytes from others, and never overwrites', async () => {
    const path = newPath();
    await storage.create(path, bytes('a'), never);
    expect(await storage.create(path, bytes('a'), never)).toBe('same');
    expect(await storage.create(path, bytes('b'), never)).toBe('different');
    expect(cloud.objects.get(`a/log/${path}`)?.body).toEqual(bytes('a'));
  });

  test('whose answer is lost is sent again, and finds its own bytes', async () => {
    const path = newPath();
    cloud.way.plan('lose the answer');
    expect(await storage.create(path, bytes('a'), never)).toBe('same');
  });

  test('that meets another write at the same time is tried again, three times at most', async () => {
    const conflict = s3Error(409, 'ConditionalRequestConflict');
    cloud.way.plan(conflict, conflict);
    expect(await storage.create(newPath(), bytes('a'), never)).toBe('created');
    cloud.way.plan(conflict, conflict, conflict);
    await expect(storage.create(newPath(), bytes('a'), never)).rejects.toThrow('ConditionalRequestConflict');
  });

  test('that is throttled is tried again', async () => {
    cloud.way.plan(s3Error(503, 'SlowDown'));
    expect(await storage.create(newPath(), bytes('a'), never)).toBe('created');
  });
});

describe('replace', () => {
  test('takes the place of the version that was read, and of no other', async () => {
    const path = newPath();
    expect(await storage.replace(path, bytes('1'), undefined, never)).toBe(true);
    expect(await storage.replace(path, bytes('2'), undefined, never)).toBe(false);
    const first = await storage.get(path, never);
    expect(await storage.replace(path, bytes('2'), first?.etag, never)).toBe(true);
    expect(await storage.replace(path, bytes('3'), first?.etag, never)).toBe(false);
    expect(cloud.objects.get(`a/log/${path}`)?.body).toEqual(bytes('2'));
  });

  test('whose answer is lost is sent again, and finds its own bytes', async () => {
    const path = newPath();
    await storage.create(path, bytes('3'), never);
    const { etag } = (await storage.get(path, never)) ?? {};
    cloud.way.plan('lose the answer');
    expect(await storage.replace(path, bytes('4'), etag, never)).toBe(true);
  });
});

test('a list goes on after a path, over all pages, and has only the files of its log', async () => {
  const other = s3Storage(s3, 'bucket', 'a/other');
  for (const n of ['1', '2', '3', '4', '5', '6', '7', '8'])
    for (const one of [storage, other]) await one.create(`list/${n}`, bytes(n), never);
  expect(await storage.list('list/', 'list/2', never)).toEqual(['3', '4', '5', '6', '7', '8'].map((n) => `list/${n}`));
  expect(await storage.list('list/', 'list/8', never)).toEqual([]);
});

test('a file that S3 forbids to read is not missing', async () => {
  cloud.way.plan(s3Error(403, 'AccessDenied'));
  await expect(storage.get('tile/0/000', never)).rejects.toThrow('AccessDenied');
});

test.each([
  ['checkpoint', 'text/plain; charset=utf-8', 'no-cache'],
  ['tile/entries/000.p/5', 'application/octet-stream', 'public, max-age=31536000, immutable'],
  ['commits/0000000001', 'application/json', 'public, max-age=31536000, immutable'],
  ['receipt-keys/1', 'text/plain; charset=utf-8', 'public, max-age=31536000, immutable'],
])('%s is served as C2SP tlog-tiles says', async (path, type, cache) => {
  await storage.create(path, bytes('a'), never);
  expect(cloud.objects.get(`a/log/${path}`)).toMatchObject({ type, cache });
});
