import { expect, test } from 'vitest';
import { findText } from '../../../cli/entries/findText.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';

const entry = { stage: 'Decision', model: 'GPT-5' } as Entry;
const bodyOf = (explanation: string) => JSON.stringify({ explanation });
const long = `${'a'.repeat(40)} needle ${'b'.repeat(40)}`;

// biome-ignore format: one case a line
test.each<[string, string, string | undefined, object | undefined]>([
  ['the start of a text', 'dec', undefined, { where: 'stage', excerpt: 'Decision' }],
  ['a text in another case', 'gpt', undefined, { where: 'model', excerpt: 'GPT-5' }],
  ['the first of several places', 'i', bodyOf('it'), { where: 'stage', excerpt: 'Decision' }],
  ['30 characters around it', 'needle', bodyOf(long), { where: 'explanation', excerpt: `…${'a'.repeat(29)} needle ${'b'.repeat(29)}…` }],
  ['no more than there is', 'b', bodyOf(`${'b'.repeat(31)}`), { where: 'explanation', excerpt: 'b'.repeat(31) }],
  ['30 characters and one more', 'x', bodyOf(`x${'b'.repeat(31)}`), { where: 'explanation', excerpt: `x${'b'.repeat(30)}…` }],
  ['text with line breaks in one line', 'one two', bodyOf('one \n\t two one two'), { where: 'explanation', excerpt: 'one two one two' }],
  ['composed letters by decomposed ones', 'e\u0301te\u0301', bodyOf('\u00e9t\u00e9'), { where: 'explanation', excerpt: '\u00e9t\u00e9' }],
  ['text whose length changes in lower case', 'x', bodyOf('\u0130\u0130\u0130 X'), { where: 'explanation', excerpt: 'i\u0307i\u0307i\u0307 x' }],
  ['half an emoji at the end of the excerpt', 'x', bodyOf(`x${'b'.repeat(29)}\u{1f600}`), { where: 'explanation', excerpt: `x${'b'.repeat(29)}\ufffd…` }],
  ['a text in the body without its escapes', 'a"b', '{"input":"a\\"b"}', { where: 'body', excerpt: '{"input":"a"b"}' }],
  ['a text in the body as it was sent', 'a\\"b', '{"input":"a\\"b"}', { where: 'body', excerpt: '{"input":"a\\"b"}' }],
  ['a text without its escapes behind an escape that JSON does not have', 'x"y', '{"a":"\\q","b":"x\\"y"}', { where: 'body', excerpt: '{"a":"\\q","b":"x"y"}' }],
  ['nothing', 'zzz', bodyOf('it'), undefined],
  ['nothing in a body that is damaged', 'zzz', undefined, undefined],
])('finds %s', (_name, text, body, found) => {
  expect(findText(text, entry, body)).toEqual(found);
});

test('finds nothing in attributes that are not text', () => {
  expect(findText('5', { stage: 5, model: ['5'] } as unknown as Entry, undefined)).toBeUndefined();
});
