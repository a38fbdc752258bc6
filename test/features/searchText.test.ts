import { expect, test } from 'vitest';
import { CUT, searchText, unescapeStrings } from '../../functions/features/searchText.ts';

const textOf = (body: string, explanation = '') => searchText({ stage: 'S', model: 'M', explanation, body });

test('escapes of the body are the characters that they stand for, folded', () => {
  expect(textOf(String.raw`{"a":"\u51b3 \u0041\n\"B\""}`)).toBe('s\nm\n\n{"a":"决 a\n"b""}');
  // A body that was changed in the table may be no JSON.
  expect(unescapeStrings(String.raw`{"a":"\x"}`)).toBe(String.raw`{"a":"\x"}`);
  // The cut may split an escape, or a string.
  const cut = textOf(`{"a":"${'x'.repeat(65_529)}${String.raw`\u51b3`}"}`);
  expect(cut.startsWith('s\nm\n\n{"a":"xxx')).toBe(true);
});

test('a text of more than 8 KiB is cut between two characters', () => {
  const atLimit = 8192 - Buffer.byteLength('s\nm\n\n');
  expect(textOf('x'.repeat(atLimit))).toBe(`s\nm\n\n${'x'.repeat(atLimit)}`);
  const kept = atLimit - Buffer.byteLength(CUT);
  expect(textOf('x'.repeat(atLimit + 1))).toBe(`s\nm\n\n${'x'.repeat(kept)}${CUT}`);
  // A replacement character that the text has stays, half a character goes.
  const text = `\ufffd${'x'.repeat(kept - 4)}`;
  expect(textOf(`${text}决决决决`)).toBe(`s\nm\n\n${text}${CUT}`);
});

test('what is not read of a long log is told by the cut, even if nothing is left of what is read', () => {
  const read = 64 * 1024;
  const start = 's\nm\n';
  // The body is cut before its escapes are read.
  const escapes = textOf(`[${`"${String.raw`\u00ad`.repeat(1000)}",`.repeat(12)}"after"]`);
  expect([escapes.includes('after'), escapes.endsWith(CUT)]).toEqual([false, true]);
  expect(textOf('after', '\u00ad'.repeat(read))).toBe(`${start}${CUT}`);
  const whole = read - 'S\nM\n\n'.length - 1;
  expect(textOf('after', '\u00ad'.repeat(whole - 'after'.length))).toBe(`${start}\nafter`);
  expect(textOf('after', '\u00ad'.repeat(whole - 'after'.length + 1))).toBe(`${start}\nafter${CUT}`);
  expect(textOf(`"${String.raw`\u00ad\u00ad`}${'\u00ad'.repeat(read - 14)}"`)).toBe(`${start}\n""${CUT}`);
});
