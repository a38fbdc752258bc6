import { expect, test } from 'vitest';
import { markWords } from '../../../../cli/shell/text/markWords.ts';

const long = (word: string) => `${'start '.repeat(50)}${word}${' end'.repeat(50)}`;
const textsOf = (...given: Parameters<typeof markWords>) => markWords(...given)?.map(({ text }) => text);

// biome-ignore format: one case a line
test.each<[string, string, [string, string] | undefined]>([
  ['"buy BTC at 5 %"', '"sell BTC at 7 %"', ['"[-buy-] BTC at [-5-] %"', '"{+sell+} BTC at {+7+} %"']],
  ['a word goes', 'a goes', ['a [-word -]goes', 'a goes']],
  ['same', 'same', ['same', 'same']],
  ['"model": "M-1",', '"model": "GPT-5",', ['"model": "[-M-1-]",', '"model": "{+GPT-5+}",']],
  ['3,', '0,', undefined],
  ['nothing in common', 'quite other', undefined],
  ['', 'x', undefined],
])('%j and %j', (before, after, marked) => {
  expect(textsOf(before, after, false)).toEqual(marked);
});

test('long equal texts are cut to 40 characters beside a difference, unless all is wanted', () => {
  const [before] = markWords(long('buy'), long('sell'), false) ?? [];
  expect(before).toEqual({
    text: expect.stringMatching(/^start .{34} … .{40}\[-buy-\] .{39} … .{36} end$/),
    isCut: true,
  });
  expect(markWords(long('buy'), long('sell'), true)?.[1]).toEqual({ text: long('{+sell+}'), isCut: false });
});

test('lines that are very long, or differ in very many words, are not marked', () => {
  const words = (from: number) => Array.from({ length: 200 }, (_, n) => `${'x'.repeat(20)} ${from + n}`).join(' ');
  expect(markWords(words(0), words(1000), false)).toBeUndefined();
  expect(markWords(`${'x '.repeat(10_001)}a`, `${'x '.repeat(10_001)}b`, false)).toBeUndefined();
});
