import { expect, test } from 'vitest';
import { findFolded } from '../../../../cli/shell/text/findFolded.ts';

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
