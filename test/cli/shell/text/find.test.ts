import { expect, test } from 'vitest';
import { findFolded, findTerms } from '../../../../cli/shell/text/find.ts';
import { escapeHidden } from '../../../../cli/shell/text/visible.ts';

// biome-ignore format: one case a line
test.each<[string, string, string, string[]]>([
  ['as it is', 'buy', 'a buy', ['buy']],
  ['in each place', 'ab', 'abAB ab', ['ab', 'AB', 'ab']],
  ['letters that look alike, behind others of two units', 'buy', '😀 \u0412\u03c5\u0443 now', ['\u0412\u03c5\u0443']],
  ['letters that fold to fewer', 'resume', 'a re\u0301sum\u00e9 b', ['re\u0301sum\u00e9']],
  ['letters that fold to more, which are marked whole', 'm', '\u3386 m', ['\u3386', 'm']],
  ['none', 'buy', 'sell', []],
])('finds %s', (_name, wanted, text, found) => {
  expect(findFolded(wanted, text, 9).map(([start, end]) => text.slice(start, end))).toEqual(found);
});

test('finds as many as are asked for', () => {
  expect(findFolded('a', 'a a a', 2)).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

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
