import { expect, test } from 'vitest';
import { counted, nameSome } from '../../../../cli/shell/text/numbers.ts';

test('one is singular, every other number plural', () => {
  expect([0, 1, 2].map((number) => counted(number, 'log'))).toEqual(['0 logs', '1 log', '2 logs']);
});

test('some names are named, and the others counted', () => {
  expect([nameSome(['a', 'b'], 2), nameSome(['a', 'b', 'c'], 2)]).toEqual(['a, b', 'a, b, and 1 more']);
});
