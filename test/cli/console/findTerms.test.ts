import { expect, test } from 'vitest';
import { findTerms } from '../../../cli/console/page/findTerms.ts';
import { escapeHidden } from '../../../cli/shell/text/visible.ts';

// biome-ignore format: one case a line
test.each([
  ['a plain word', 'the funding rate', ['funding'], ['funding']],
  ['a word with a hidden character in it', 'the fun\u200bding rate', ['funding'], ['fun\\u200bding']],
  ['between hidden characters', 'the \u200bfunding\u{e0100} rate', ['funding'], ['funding']],
  ['many of them in a row', 'f\u200b\u2060\u{e0100}unding', ['FUNDING'], ['f\\u200b\\u2060\\udb40\\udd00unding']],
  ['several terms, in the order of the text', 'b\u200bc a', ['a', 'bc'], ['b\\u200bc', 'a']],
  ['a letter that the team escaped is a letter', 'fund\\u0069ing', ['funding'], []],
  ['nothing', 'the rate', ['funding'], []],
])('finds %s', (_name, text, terms, expected) => {
  const shown = escapeHidden(text);
  expect(findTerms(terms, shown).map(([start, end]) => shown.slice(start, end))).toEqual(expected);
});
