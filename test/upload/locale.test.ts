import { expect, test } from 'vitest';
import { LOCALE_PATTERN } from '../../functions/upload/middleware/checkRequest.ts';

// biome-ignore format: several a line
test.each([
  'en', 'C', 'en-US', 'EN-us', 'zh_CN', 'zh_CN.UTF-8', 'de_DE.ISO-8859-15@euro', 'zh-cmn-Hans-CN', 'en-US-u-ca-gregory',
  `a${'b'.repeat(63)}`,
])('%j is a locale', (text) => {
  expect(LOCALE_PATTERN.test(text)).toBe(true);
});

// biome-ignore format: several a line
test.each([
  `a${'b'.repeat(64)}`, '', '*', '1en', '_en', 'en-US\n', 'en-US,en;q=0.9', 'english language', 'français', 'en/US',
  'en"US',
])('%j is none', (text) => {
  expect(LOCALE_PATTERN.test(text)).toBe(false);
});
