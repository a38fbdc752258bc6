import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactly } from '../../functions/ailog/plainNames.ts';
import { readContent } from '../../functions/features/logContent.ts';
import { COMPARED_UNITS, COMPARED_WORDS, comparableWords, WORD_UNITS } from '../../functions/features/words.ts';
import { runs } from '../setup/runs.ts';

describe('words for comparison', () => {
  // biome-ignore format: one case a line
  test.each([
    ['Buy BTC at 91,250.5 now!', ['buy', 'btc', 'at', '0', 'now']],
    ['ref 9f3a-77b1 x', ['ref', '0', 'x']],
    ['涨势强，BTC看多', ['涨', '势', '强', 'btc', '看', '多']],
    ['Ｆｕｌｌ wi\u200bdth', ['full', 'width']],
    ['', []],
    // Invisible characters in words, of every kind that is not an ordinary letter.
    ['b\ufe00uy b\u{e0100}uy b\u034fuy b\u180buy b\u115fuy b\u3164uy b\uffa0uy b\u17b4uy b\u00aduy b\u{e0020}uy', Array(10).fill('buy')],
    ['b\u0301uy e\u0323\u0302th résumé buy\u3099', ['buy', 'eth', 'resume', 'buy']],
    ['\u0412\u03c5\u0443 \ua4d0\ua4f4\ua4ec \u0392\u03a5\u0423 ѕеll', ['buy', 'buy', 'byy', 'sell']],
    ['Вода вода ΣΑΣ σας', ['boдa', 'boдa', 'σaσ', 'σaσ']],
    ['がか か\u3099 ｶﾞ', ['が', 'か', 'が', 'ガ']],
    ['한국어', ['한국어']],
    ['x'.repeat(100), ['x'.repeat(WORD_UNITS)]],
  ])('%j', (text, words) => {
    expect(comparableWords(text)).toEqual({ words, isCut: false });
  });
});

describe('words are bounded', () => {
  test.each([
    ['as long as is compared', 'ab '.repeat(COMPARED_UNITS / 4), false],
    ['longer', `${'ab '.repeat(COMPARED_UNITS / 3)}abc`, true],
    ['of many short words', 'a '.repeat(COMPARED_WORDS + 1), true],
    ['of many Chinese characters', '看'.repeat(COMPARED_WORDS + 1), true],
    ['of as many Chinese characters as are compared', '看'.repeat(COMPARED_WORDS), false],
  ])('a text %s', (_name, text, isCut) => {
    const found = comparableWords(text);
    expect(found.isCut).toBe(isCut);
    expect(found.words.length).toBeLessThanOrEqual(COMPARED_WORDS);
  });

  test('what comes after the bound does not count', () => {
    const start = 'abcdefg '.repeat(COMPARED_UNITS / 8);
    expect(comparableWords(`${start} one`)).toEqual(comparableWords(`${start} two`));
  });

  test('of the output, with its explanation whole', () => {
    const output = {
      list: Array.from({ length: COMPARED_UNITS / 4 + 10 }, () => 'xyz'),
      last: 'never b\u034fuy e\u034fth n\u034fow',
    };
    const { isCut, words, outputWords, hasHiddenCharacters } = readContent(
      JSON.stringify({ input: {}, output, explanation: 'The end.' }),
    );
    expect([isCut, words.slice(-2), outputWords.includes('never')]).toEqual([true, ['the', 'end'], false]);
    expect(hasHiddenCharacters).toBe(false);
    expect(
      readContent(JSON.stringify({ input: {}, output: 'ab ', explanation: 'x'.repeat(COMPARED_UNITS + 1) })).isCut,
    ).toBe(true);
  });
});

describe('invisible characters in words', () => {
  const hasHidden = (text: string) =>
    readContent(JSON.stringify({ input: {}, output: { text }, explanation: 'x' })).hasHiddenCharacters;

  // biome-ignore format: one case a line
  test.each([
    ['variation selectors', 'b\ufe00uy e\ufe01th no\ufe0fw'],
    ['selectors of ideographs', '看\u{e0100}多\u{e0101}买\u{e0102}'],
    ['grapheme joiners', 'b\u034fuy e\u034fth n\u034fow'],
    ['fillers', 'b\u115fuy e\u3164th n\uffa0ow'],
    ['many', 'b\u034fuy '.repeat(10)],
    ['at the ends of words', 'buy\u3164 eth\u115f now\uffa0'],
    ['zero-width spaces and soft hyphens', 'b\u200buy e\u00adth n\u2060ow'],
    ['joiners', 'b\u200duy e\u200cth n\u200dow'],
    ['marks of direction in words', 'b\u200euy e\u202ath n\u2066ow'],
    ['in decomposed letters', 'e\u0301\u034fb e\u0301\u034fb e\u0301\u034fb'],
  ])('%s count', (_name, text) => {
    expect(hasHidden(text)).toBe(true);
  });

  // biome-ignore format: one case a line
  test.each([
    ['twice', 'b\ufe00uy e\ufe01th now'],
    ['one place of many', `b${'\u034f'.repeat(50)}uy`],
    ['emoji', '👨‍👩‍👧 ❤️ 1️⃣ 2️⃣3️⃣ #️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ℹ️ ℹ️ ℹ️ ™️ ©️ Buy✅️ now🚀️'],
    ['accents', 're\u0301sume\u0301 cafe\u0301 nin\u0303o'],
    ['Persian', 'می\u200cخواهم می\u200cخواهم می\u200cخواهم'],
    ['Hindi', 'क्\u200dष क्\u200dष क्\u200dष'],
    ['Thai with breaks', 'ที่\u200bนี่\u200bนี่\u200bน้ำ'],
    ['Hebrew with marks of direction', 'קנה BTC\u200f עכשיו\u200f ETH\u200e מכור\u200f BTC\u200f עוד\u200f'],
    ['soft hyphens and byte-order marks at the ends of words', '\ufeffBuy\u00ad eth\ufeff now\u200b '],
  ])('%s do not count', (_name, text) => {
    expect(hasHidden(text)).toBe(false);
  });
});

describe('the content of a log', () => {
  const contentOf = (log: object) => readContent(JSON.stringify(log));

  test('has the values of the output in their order, at any depth, then the explanation', () => {
    const output = { name: 'First', list: ['second', { deep: 'Third' }, ['fourth']], yes: true, no: false, none: null };
    const { outputWords, words } = contentOf({ input: { text: 'unread' }, output, explanation: 'The end.' });
    expect(outputWords).toEqual(['first', 'second', 'third', 'fourth', 'true', 'false']);
    expect(words).toEqual([...outputWords, 'the', 'end']);
  });

  test('has one word for all numbers, however they are written', () => {
    const wordsOf = (n: string) => readContent(`{"input":{},"output":{"a":"x","n":${n},"b":"y"}}`).outputWords;
    for (const n of ['5', '1.50', '9007199254740993', '-1e400', '{"1":5}']) expect(wordsOf(n)).toEqual(['x', '0', 'y']);
    expect(wordsOf('{"rawJSON":"text"}')).toEqual(['x', 'text', 'y']);
  });

  test('has no words of an explanation that is not text', () => {
    expect(contentOf({ input: {}, output: {}, explanation: ['a'] })).toEqual({
      hasData: false,
      explanation: '',
      data: '[{},{}]',
      outputWords: [],
      words: [],
      isCut: false,
      hasHiddenCharacters: false,
      copies: undefined,
    });
    expect(contentOf({}).data).toBe('[null,null]');
  });
});

describe('the fast way to read a body', () => {
  test('gives the data that the exact way gives', () => {
    const keys = fc.constantFrom('input', 'output', 'explanation', 'stage', '1', '__proto__');
    const anyValue = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.dictionary(keys, anyValue), fc.constantFrom(0, 1), (log, space) => {
        const body = JSON.stringify(log, null, space);
        const { input, output } = parseExactly(body) as Record<string, unknown>;
        expect(readContent(body).data).toBe(JSON.stringify([input, output]));
      }),
      runs(100, 20_000),
    );
  });

  test.each([
    ['1.0', '1'],
    ['1e2', '100'],
    ['9007199254740993', '9007199254740992'],
    ['-0', '0'],
    ['0.10000000000000000001', '0.1'],
  ])('%s and %s are different data', (a, b) => {
    const [one, other] = [a, b].map(
      (n) => readContent(`{"input":{"n":${n}},"output":{"a":"b"},"explanation":"e"}`).data,
    );
    expect(one).toContain(a);
    expect(one).not.toBe(other);
  });

  test.each([
    [1000, '"x"'],
    [1001, undefined],
  ])('a body nested %d levels deep', (depth, inside) => {
    const body = `{"input":${'['.repeat(depth - 1)}"x"${']'.repeat(depth - 1)},"output":{}}`;
    const { data } = readContent(body);
    if (inside === undefined) expect(data).toBeUndefined();
    else expect(data).toContain(inside);
  });

  test('finds the same words in ASCII as in other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        // A letter that is not ASCII makes the text take the slow way.
        expect([...comparableWords(text).words, 'e']).toEqual(comparableWords(`${text} é`).words);
      }),
      runs(100, 20_000),
    );
  });
});
