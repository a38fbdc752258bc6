import { expect, test } from 'vitest';
import { isOrderId } from '../../functions/ailog/orderId.ts';

// The function runs this rule inside the compiled validator. This test calls it directly.
test.each([
  ['', true],
  ['0', true],
  ['7', true],
  ['9223372036854775806', true],
  ['9223372036854775807', true],
  ['9223372036854775808', false],
  ['10000000000000000000', false],
  ['007', false],
  ['7a', false],
  ['a7', false],
  ['7\n', false],
  ['-1', false],
  ['1.0', false],
  [' ', false],
])('isOrderId(%j) is %s', (text, expected) => {
  expect(isOrderId(text)).toBe(expected);
});
