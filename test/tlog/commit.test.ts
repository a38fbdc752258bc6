import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { EMPTY_ROOT } from '../../functions/c2sp/hashing.ts';
import { COMMIT_ENTRIES, type Commit, formatCommit, indexIn, parseCommit } from '../../functions/tlog/commit.ts';
import { findCommit } from '../../functions/tlog/findCommit.ts';
import { randomFrom } from '../sequencer/intercept.ts';

const entries = [randomBytes(32), randomBytes(32)];
const commit: Commit = {
  origin: 'log.example/ailog',
  n: 7,
  time: 1_763_112_660_123,
  cursor: 1_763_112_630_000,
  looked: 1_762_939_800_000,
  retentionDays: 30,
  from: { size: 3, root: randomBytes(32) },
  to: { size: 5, root: randomBytes(32) },
  entries,
};
const text = formatCommit(commit);

test('a commit is one object whose members stand in the order of docs/formats.md', () => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  expect(text).toBe(
    '{"version":1,"origin":"log.example/ailog","n":7,"time":1763112660123,"cursor":1763112630000,"looked":1762939800000,' +
      `"retentionDays":30,"from":{"size":3,"root":"${base64(commit.from.root)}"},` +
      `"to":{"size":5,"root":"${base64(commit.to.root)}"},"entries":"${base64(Buffer.concat(entries))}"}`,
  );
  expect(parseCommit(text)).toEqual(commit);
  const empty = {
    ...commit,
    n: 1,
    from: { size: 0, root: EMPTY_ROOT },
    to: { size: 0, root: EMPTY_ROOT },
    entries: [],
  };
  expect(parseCommit(formatCommit(empty))).toEqual(empty);
});

// biome-ignore format: one case a line
test.each<[what: string, text: string]>([
  ['no JSON', text.slice(1)],
  ['no object', '[]'],
  ['null', 'null'],
  ['a space more', text.replace(',', ', ')],
  ['a line feed at the end', `${text}\n`],
  ['a member more', text.replace('{', '{"a":1,')],
  ['a member twice', text.replace('{"version":1', '{"version":1,"version":1')],
  ['another order', text.replace('"n":7,', '').replace('"time"', '"n":7,"time"').replace('"origin"', '"x":1,"origin"')],
  ['another version', text.replace('"version":1', '"version":2')],
  ['a number as a text', text.replace('"n":7', '"n":"7"')],
  ['a fraction', text.replace('"n":7', '"n":7.5')],
  ['no number', text.replace('"n":7', '"n":0')],
  ['a negative time', text.replace('"time":', '"time":-')],
  ['an exponent', text.replace('"retentionDays":30', '"retentionDays":3e1')],
  ['a time that is no safe integer', text.replace('"time":1763112660123', '"time":9007199254740993')],
  ['an origin that is no text', text.replace('"log.example/ailog"', '1')],
  ['a tree that is no object', text.replace(/"from":{[^}]*}/, '"from":null')],
  ['a root that is too short', text.replace(/"root":"....", "root":"/, '"root":"')],
  ['entries that are no whole hashes', text.replace(/....=*"}$/, '"}')],
  ['an entry less', formatCommit({ ...commit, entries: entries.slice(1) })],
  ['a size more', text.replace('"size":5', '"size":6')],
  ['another root without entries', formatCommit({ ...commit, to: { ...commit.to, size: 3 }, entries: [] })],
  ['more entries than a commit takes', formatCommit({ ...commit, to: { ...commit.to, size: 3 + COMMIT_ENTRIES + 1 }, entries: Array(COMMIT_ENTRIES + 1).fill(entries[0]) })],
])('%s is not a commit', (what, changed) => {
  if (what !== 'a root that is too short') expect(changed).not.toBe(text);
  if (changed !== text)
    expect(() => parseCommit(changed, 'commits/0000000007')).toThrow(/^commits\/0000000007 is not a commit: /);
});

test('a commit knows the place of its entries', () => {
  expect(entries.map((entry) => indexIn(commit, entry))).toEqual([3, 4]);
  expect(indexIn(commit, randomBytes(32))).toBeUndefined();
});

test('the commit of a time is found in about fifteen reads of a million, whatever the log went through', async () => {
  const random = randomFrom(1);
  for (const gap of [
    () => 60_000,
    () => Math.floor(random() * 120_000),
    () => (random() < 0.5 ? 0 : 60_000),
    () => (random() < 0.001 ? 86_400_000 : 1000),
    () => Math.floor(1000 / random() ** 2),
  ]) {
    const cursors = [0];
    while (cursors.length < 1_000_000) cursors.push((cursors.at(-1) as number) + gap());
    const newest = { n: cursors.length, cursor: cursors.at(-1) as number };
    let reads = 0;
    const read = async (n: number) => {
      reads += 1;
      return { cursor: cursors[n - 1] as number };
    };
    for (let search = 0; search < 50; search += 1) {
      const time = Math.floor(random() * newest.cursor);
      const found = (await findCommit(read, newest, time)) as number;
      expect(cursors[found - 1]).toBeGreaterThanOrEqual(time);
      if (found > 1) expect(cursors[found - 2]).toBeLessThan(time);
    }
    expect(reads / 50).toBeLessThan(30);
    expect(await findCommit(read, newest, newest.cursor + 1)).toBeUndefined();
    expect(await findCommit(read, newest, -1)).toBe(1);
    expect(cursors[((await findCommit(read, newest, newest.cursor)) as number) - 1]).toBe(newest.cursor);
  }
});

test('a commit whose cursor is at the time is found, and the first of several', async () => {
  const cursors = [10, 20, 20, 30];
  const find = (time: number) =>
    findCommit(async (n) => ({ cursor: cursors[n - 1] as number }), { n: 4, cursor: 30 }, time);
  expect(await Promise.all([10, 11, 20, 21, 30].map(find))).toEqual([1, 2, 2, 4, 4]);
});
