import { expect, test } from 'vitest';
import { EXCERPT_LIMIT, findText } from '../../../../cli/store/entries/findText.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';

const entry = { stage: 'Decision', model: 'GPT-5' } as Entry;
const bodyOf = (explanation: string) => JSON.stringify({ explanation });
const long = `${'a'.repeat(40)} needle ${'b'.repeat(40)}`;

// biome-ignore format: one case a line
test.each<[string, string, string | undefined, object | undefined]>([
  ['the start of a text', 'dec', undefined, { where: 'stage', excerpt: 'Decision' }],
  ['a text in another case', 'gpt', undefined, { where: 'model', excerpt: 'GPT-5' }],
  ['the first of several places', 'i', bodyOf('it'), { where: 'stage', excerpt: 'Decision' }],
  ['12 characters before it and 30 after it', 'needle', bodyOf(long), { where: 'explanation', excerpt: `…${'a'.repeat(11)} needle ${'b'.repeat(29)}…` }],
  ['no more than there is', 'b', bodyOf(`${'b'.repeat(31)}`), { where: 'explanation', excerpt: 'b'.repeat(31) }],
  ['30 characters and one more', 'x', bodyOf(`x${'b'.repeat(31)}`), { where: 'explanation', excerpt: `x${'b'.repeat(30)}…` }],
  ['text with line breaks in one line', 'one two', bodyOf('one \n\t two one two'), { where: 'explanation', excerpt: 'one two one two' }],
  ['composed letters by decomposed ones', 'e\u0301te\u0301', bodyOf('\u00e9t\u00e9'), { where: 'explanation', excerpt: '\u00e9t\u00e9' }],
  ['text whose length changes in lower case', 'x', bodyOf('\u0130\u0130\u0130 X'), { where: 'explanation', excerpt: '\u0130\u0130\u0130 X' }],
  ['half an emoji at the end of the excerpt', 'x', bodyOf(`x${'b'.repeat(29)}\u{1f600}`), { where: 'explanation', excerpt: `x${'b'.repeat(29)}\ufffd…` }],
  ['a text in the body without its escapes', 'a"b', '{"input":"a\\"b"}', { where: 'body', excerpt: '{"input":"a"b"}' }],
  ['a text in the body as it was sent', 'a\\"b', '{"input":"a\\"b"}', { where: 'body', excerpt: '{"input":"a\\"b"}' }],
  ['a text without its escapes behind an escape that JSON does not have', 'x"y', '{"a":"\\q","b":"x\\"y"}', { where: 'body', excerpt: '…":"\\q","b":"x"y"}' }],
  ['a word with invisible characters in it', 'sell eth', bodyOf('Se\u034fl\u200bl\ufe0f E\u115fTH'), { where: 'explanation', excerpt: 'Se\u034fl\u200bl\ufe0f E\u115fTH' }],
  ['a word with letters that look alike', 'buy', bodyOf('\u0412\u03c5\u0443'), { where: 'explanation', excerpt: '\u0412\u03c5\u0443' }],
  ['a word with accents', 'resume', bodyOf('re\u0301sum\u00e9'), { where: 'explanation', excerpt: 're\u0301sum\u00e9' }],
  ['a word in which invisible characters were sent as escapes', 'buy', '{"input":"b\\u034fuy"}', { where: 'body', excerpt: '{"input":"b\u034fuy"}' }],
  ['the place of a match behind invisible characters', 'buy', bodyOf(`${'a\u034f'.repeat(2000)}b\u034fuy${'c'.repeat(40)}`), { where: 'explanation', excerpt: `…${'a\u034f'.repeat(6)}b\u034fuy${'c'.repeat(30)}…` }],
  ['a part of what one character folds to', 'm', bodyOf(`\u3386${'b'.repeat(31)}`), { where: 'explanation', excerpt: `\u3386${'b'.repeat(30)}…` }],
  ['an invisible character itself', '\u200b', bodyOf('Sell \u200b ETH'), { where: 'explanation', excerpt: 'Sell \u200b ETH' }],
  ['no invisible character where none is', '\u200b', bodyOf('Sell ETH'), undefined],
  ['nothing', 'zzz', bodyOf('it'), undefined],
  ['nothing in a body that is damaged', 'zzz', undefined, undefined],
])('finds %s', (_name, text, body, found) => {
  expect(findText(text, entry, body)).toEqual(found);
});

test('finds nothing in attributes that are not text', () => {
  expect(findText('5', { stage: 5, model: ['5'] } as unknown as Entry, undefined)).toBeUndefined();
});

test('an excerpt has a limit, however many invisible characters a word has', () => {
  const excerpt = findText('buy', entry, bodyOf(`b${'\u034f'.repeat(5000)}uy`))?.excerpt;
  expect(excerpt).toBe(`b${'\u034f'.repeat(EXCERPT_LIMIT - 1)}…`);
});
