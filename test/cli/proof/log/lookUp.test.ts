import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { lookUp } from '../../../../cli/proof/log/lookUp.ts';
import { openLog } from '../../../../cli/proof/log/openLog.ts';
import { publicFiles } from '../../../../cli/proof/log/publicFiles.ts';
import { folderFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import { HOUR_MS, MINUTE_MS, noDeadline, openServedLog, type ServedLog } from '../../../setup/world.ts';

let log: ServedLog;
beforeAll(async () => {
  log = await openServedLog();
  await log.grow();
});

type Uploaded = ReturnType<ServedLog['upload']>;

const open = (files = folderFiles(log.logFolder)) => openLog(files, log.policy);

describe('an entry', () => {
  test('is found in its turn, by URL and in a folder, and proven', async () => {
    const entries: Uploaded[] = [];
    for (let at = 0; at < 40; at += 1) entries.push(...(await log.grow(at % 3)));
    for (const opened of [await open(), await openLog(publicFiles(log.url, noDeadline()), log.policy)]) {
      for (const { entryHash, receivedAt } of entries) {
        const found = await lookUp(opened, entryHash, receivedAt);
        expect(found?.cameAt).toBe(receivedAt + MINUTE_MS);
        await opened.prove(entryHash, found?.index as number);
      }
    }
  });

  test.each<[string, number, number, number]>([
    ['within the window', 5 * MINUTE_MS, 10, 10],
    ['two days later', HOUR_MS, 51 * 60, 180],
  ])('is found that the index shows late, %s', async (_name, delay, minutes, step) => {
    const { entryHash, receivedAt } = log.upload(delay);
    for (let at = 0; at < minutes; at += step) {
      await log.grow();
      expect(at === 0 && (await lookUp(await open(), entryHash, receivedAt))).toBeFalsy();
      await log.sequence((step - 1) * MINUTE_MS);
    }
    const found = await lookUp(await open(), entryHash, receivedAt);
    expect(found?.cameAt).toBeGreaterThan(receivedAt + delay);
    await (await open()).prove(entryHash, found?.index as number);
  });

  test('is not found before it is in the log, or with another hash or time', async () => {
    const { entryHash, receivedAt } = log.upload();
    expect(await lookUp(await open(), entryHash, receivedAt)).toBeUndefined();
    await log.sequence();
    expect(await lookUp(await open(), entryHash, receivedAt)).toBeDefined();
    expect(await lookUp(await open(), Buffer.alloc(32), receivedAt)).toBeUndefined();
    expect(await lookUp(await open(), entryHash, receivedAt - 2 * HOUR_MS)).toBeUndefined();
  });
});

test('a file of a public log has up to 512 KiB', async () => {
  const read = async (bytes: number) => {
    log.write('tile/large', Buffer.alloc(bytes));
    return (await publicFiles(log.url, noDeadline()).read('tile/large'))?.length;
  };
  expect(await read(512 * 1024)).toBe(512 * 1024);
  await expect(read(512 * 1024 + 1)).rejects.toThrow('tile/large: it is longer than 524288 bytes.');
});

test('reads about two commits for each doubling of the log', async () => {
  let reads = 0;
  const files = folderFiles(log.logFolder);
  const counting = {
    ...files,
    read: (path: string) => {
      reads += 1;
      return files.read(path);
    },
  };
  const { n } = await (await open()).newest();
  const { entryHash, receivedAt } = log.upload();
  await log.sequence();
  await lookUp(await open(counting), entryHash, receivedAt);
  expect(reads).toBeLessThan(4 * Math.log2(n) + 25);
});

test('a commit is read once, and again only after as many entries as are kept', async () => {
  for (let count = 0; count < 2; count += 1) await log.grow(3);
  const { logFolder, policy } = log;
  const read: string[] = [];
  const files = folderFiles(logFolder);
  const counting = {
    ...files,
    read: (path: string) => {
      read.push(path);
      return files.read(path);
    },
  };
  const numbers = [1, 2, 1, 3, 1];
  const readsWith = async (keptEntries: number) => {
    const opened = await openLog(counting, policy, undefined, keptEntries);
    read.length = 0;
    for (const n of numbers) await opened.commit(n);
    return read.map((path) => Number(path.split('/')[1]));
  };
  const sizes = await Promise.all([1, 2].map(async (n) => (await (await open()).commit(n)).entries.length));
  const both = sizes.reduce((sum, size) => sum + size, 0);
  expect(both).toBeGreaterThan(0);
  expect([await readsWith(both), await readsWith(both - 1)]).toEqual([
    [1, 2, 3],
    [1, 2, 3, 1],
  ]);
});

test('names the commit that its checkpoint does not have, and files that prove nothing', async () => {
  const opened = await open();
  await expect(opened.prove(Buffer.alloc(32), 0)).rejects.toThrow('do not prove the entry at index 0');
  await expect(opened.prove(Buffer.alloc(32), 1_000_000)).rejects.toThrow('do not prove');
  const other = await openServedLog();
  await other.grow(2);
  writeFileSync(join(other.logFolder, 'commits/0000000001'), 'x');
  await expect((await openLog(folderFiles(other.logFolder), other.policy)).newest()).rejects.toThrow(
    'commits/0000000001 is not a commit',
  );
});

test('commits are looked through until one has come ten minutes past the deadline', async () => {
  const [receivedAt, deadline] = [1000, 601_000];
  const entryHash = Buffer.alloc(32, 1);
  const foundAfter = async (cursor: number) => {
    const commitOf = (n: number, entries: readonly Buffer[], cursor: number) =>
      ({ n, time: cursor, cursor, looked: 0, from: { size: n - 1 }, entries }) as never;
    const commits = [commitOf(1, [Buffer.alloc(32, 2)], cursor), commitOf(2, [entryHash], cursor + 1)];
    const log = { commit: async (n: number) => commits[n - 1] as never, newest: async () => commits[1] as never };
    return (await lookUp(log, entryHash, receivedAt, deadline))?.index;
  };
  const past = deadline + 10 * MINUTE_MS;
  expect([await foundAfter(past - 1), await foundAfter(past)]).toEqual([1, undefined]);
});
