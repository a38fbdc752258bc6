import { expect, test } from 'vitest';
import { isBlank, VISIBLE_PATTERN } from '../../functions/ailog/blank.ts';

const visible = new RegExp(VISIBLE_PATTERN, 'u');

// biome-ignore format: several a line
test.each([
  '', ' \t\r\n', '\u00a0\u2003\u3000', '\u200b', '\u200c\u200d\u2060\ufeff', '\u00ad\u034f\u061c',
  '\u115f\u1160\u3164\uffa0', '\u17b4\u17b5\u180b\u180e', '\ufe00\ufe0f\u{e0100}', '\u{e0041}\u{e007f}',
  '\u2066\u2069\u202e', '\u0000\u007f\u0085', '\u2800',
])('%j shows nothing', (text) => {
  expect(isBlank(text)).toBe(true);
  expect(visible.test(text)).toBe(false);
});

// biome-ignore format: several a line
test.each([
  '.', '\u200b.\u200b', '❤\ufe0f', '\u0301', '\u2060买', '\ufffd', '\ue000', '\u{10ffff}', '\ud83d', '\u2801', '0',
])('%j shows something', (text) => {
  expect(isBlank(text)).toBe(false);
  expect(visible.test(text)).toBe(true);
});

test('null and a missing value are blank, and no other value that is not text', () => {
  expect([null, undefined, 0, false, {}, []].map(isBlank)).toEqual([true, true, false, false, false, false]);
});
