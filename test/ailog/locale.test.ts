import { expect, test } from 'vitest';
import { isLocale } from '../../functions/ailog/locale.ts';

test.each([
  ['en', true],
  ['C', true],
  ['en-US', true],
  ['EN-us', true],
  ['zh_CN', true],
  ['zh_CN.UTF-8', true],
  ['de_DE.ISO-8859-15@euro', true],
  ['zh-cmn-Hans-CN', true],
  ['en-US-u-ca-gregory', true],
  [`a${'b'.repeat(63)}`, true],
  [`a${'b'.repeat(64)}`, false],
  ['', false],
  ['*', false],
  ['1en', false],
  ['_en', false],
  ['en-US\n', false],
  ['en-US,en;q=0.9', false],
  ['english language', false],
  ['français', false],
  ['en/US', false],
  ['en"US', false],
])('isLocale(%j) is %s', (text, expected) => {
  expect(isLocale(text)).toBe(expected);
});
