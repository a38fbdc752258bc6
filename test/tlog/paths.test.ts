import { expect, test } from 'vitest';
import {
  CHECKPOINT,
  checkpointPath,
  commitNumber,
  commitPath,
  headersOf,
  receiptKeyPath,
} from '../../functions/tlog/paths.ts';

test('the files of a log have the paths that docs/formats.md names, and commits sort as their numbers', () => {
  expect(CHECKPOINT).toBe('checkpoint');
  expect(checkpointPath(70_003)).toBe('checkpoints/0000070003');
  expect(receiptKeyPath(2)).toBe('receipt-keys/2');
  const numbers = [1, 9, 10, 99, 70_003, 4_000_000_000];
  expect(numbers.map(commitPath).sort()).toEqual(numbers.map(commitPath));
});

test('the number of a commit is read from its path, and from no other', () => {
  expect(commitNumber('commits/0000070003')).toBe(70_003);
  // biome-ignore format: several a line
  for (const path of [
    'commits/70003', 'commits/0000000000', 'commits/', 'commits/00000x0003', 'checkpoints/0000070003', 'commits/-000000001',
    'commits/0000000001/a', 'commits/00000001e3',
  ]) {
    expect([path, commitNumber(path)]).toEqual([path, undefined]);
  }
});

test('a cache keeps a file for a year, except the newest checkpoint, which is replaced', () => {
  const forever = 'public, max-age=31536000, immutable';
  const text = 'text/plain; charset=utf-8';
  const headers = [CHECKPOINT, checkpointPath(3), commitPath(3), receiptKeyPath(1), 'tile/0/000', 'tile/entries/000'];
  expect(headers.map((path) => Object.values(headersOf(path)))).toEqual([
    [text, 'no-cache'],
    [text, forever],
    ['application/json', forever],
    [text, forever],
    ['application/octet-stream', forever],
    ['application/octet-stream', forever],
  ]);
});
