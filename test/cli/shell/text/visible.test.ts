import { expect, test } from 'vitest';
import { escapeHidden, SHOWN_MARKS, visible } from '../../../../cli/shell/text/visible.ts';

// biome-ignore format: one case a line
test.each([
  ['emoji that joiners make of several', '👨‍👩‍👧 👁️‍🗨️ ❤️‍🔥 🏳️‍🌈 👩🏽‍💻'],
  ['emoji of a text character', '❤️ ☀︎ ©️ ™️'],
  ['emoji of digits', '1️⃣ 2️⃣ #️⃣'],
  ['flags', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['accents, composed and decomposed', 'résumé re\u0301sume\u0301 Việt e\u0302\u0323'],
  ['Arabic with vowels', 'مَرْحَبًا'],
  ['Persian with non-joiners', 'می\u200cخواهم'],
  ['Hebrew with points and cantillation', 'בְּרֵאשִׁ֖ית'],
  ['Hindi with joiners', 'क्\u200dष हिन्दी'],
  ['Tamil, Bengali and Sinhala', 'தமிழ் বাংলা ශ්\u200dරී'],
  ['Thai', 'ที่นี่ น้ำ'],
  ['Tibetan', 'བསྒྲུབས'],
  ['Mongolian with a selector', 'ᠠ\u180b'],
  ['Chinese, Japanese and Korean', '看多 がぎぐ か\u3099 한국어'],
])('shows %s as they are', (_name, text) => {
  expect(visible(text)).toBe(text);
});

// biome-ignore format: one case a line
test.each([
  ['a control character', 'a\u001bb', 'a\\u001bb'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ['a control character of C1', '\u009b31m', '\\u009b31m'],
  ['marks of direction', 'a\u202eb\u200ec\u200fd\u061c', 'a\\u202eb\\u200ec\\u200fd\\u061c'],
  ['embeddings and isolates', '\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069', '\\u202a\\u202b\\u202c\\u202d\\u2066\\u2067\\u2068\\u2069'],
  ['blanks without a width', 'GPT\u200b-5\ufeff', 'GPT\\u200b-5\\ufeff'],
  ['an annotation', 'a\ufffab', 'a\\ufffab'],
  ['a variation selector after a letter', 'b\ufe0fu\ufe00y', 'b\\ufe0fu\\ufe00y'],
  ['one after a digit', '1\ufe0f', '1\\ufe0f'],
  ['one after a Chinese character', '看\u{e0100}多\ufe01', '看\\udb40\\udd00多\\ufe01'],
  ['a grapheme joiner', 'b\u034fuy', 'b\\u034fuy'],
  ['a Mongolian selector after a Latin letter', 'b\u180buy', 'b\\u180buy'],
  ['the Mongolian vowel separator', 'ᠠ\u180e', 'ᠠ\\u180e'],
  ['Hangul fillers', 'b\u115f\u1160\u3164\uffa0', 'b\\u115f\\u1160\\u3164\\uffa0'],
  ['vowels of Khmer that nobody sees', 'ក\u17b4', 'ក\\u17b4'],
  ['a joiner between Latin letters', 'b\u200du\u200cy', 'b\\u200du\\u200cy'],
  ['a joiner after a digit', '1\u200d', '1\\u200d'],
  ['a second joiner', 'क\u200d\u200d', 'क\u200d\\u200d'],
  ['a second selector', '❤\ufe0f\ufe0f', '❤\ufe0f\\ufe0f'],
  ['tags that are no flag', 'a\u{e0061}', 'a\\udb40\\udc61'],
  ['tags beyond those of a flag', `🏴${'\u{e0061}'.repeat(8)}`, `🏴${'\u{e0061}'.repeat(7)}\\udb40\\udc61`],
  ['a tag of a digit', '🏴\u{e0031}', '🏴\\udb40\\udc31'],
  ['unassigned characters that nobody would see', '\u{e0fff}\ufff0', '\\udb43\\udfff\\ufff0'],
  ['marks beyond those of any script', `a${'\u0301'.repeat(SHOWN_MARKS + 2)}`, `a${'\u0301'.repeat(SHOWN_MARKS)}\\u0301\\u0301`],
])('escapes %s', (_name, text, escaped) => {
  expect(visible(text)).toBe(escaped);
});

test('keeps line breaks, or escapes them for one line', () => {
  expect([escapeHidden('a\nb\tc'), visible('a\nb')]).toEqual(['a\nb\\u0009c', 'a\\nb']);
});
