import { expect, test } from 'vitest';
import { counted } from '../../../../cli/shell/text/numbers.ts';

test('one is singular, every other number plural', () => {
  expect([0, 1, 2].map((number) => counted(number, 'log'))).toEqual(['0 logs', '1 log', '2 logs']);
});
