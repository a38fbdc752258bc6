import { expect, test } from 'vitest';
import { isLanguageTag } from '../../functions/ailog/locale.ts';

test.each([
  ['en', true],
  ['en-US', true],
  ['EN-us', true],
  ['zh-CN', true],
  ['zh-Hant-TW', true],
  ['zh-cmn-Hans-CN', true],
  ['de-DE-1996', true],
  ['en-US-u-ca-gregory', true],
  ['x-bot', true],
  ['i-klingon', true],
  ['zh_CN', false],
  ['a-DE', false],
  ['*', false],
  ['en-US,en;q=0.9', false],
  ['english language', false],
])('isLanguageTag(%j) is %s', (text, expected) => {
  expect(isLanguageTag(text)).toBe(expected);
});
