import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parseExactly } from '../../functions/ailog/plainNames.ts';
import { readContent } from '../../functions/features/logContent.ts';
import { UNREAD_TRADE } from '../../functions/features/trade.ts';
import { COMPARED_PIECES, COMPARED_UNITS, comparablePieces, LONGEST_PIECE } from '../../functions/features/words.ts';
import { englishProse } from '../cli/review/figures/prose.ts';
import { runs } from '../setup/runs.ts';

const piecesOf = (text: string) => comparablePieces(text).pieces;

describe('pieces for comparison', () => {
  // biome-ignore format: one case a line
  test.each([
    ['Buy BTC at 91,250.5 now!', 'buybtcatnow'],
    ['ref 9f3a-77b1 x, signalEMA20crossed, 0.3BTC 15m', 'refxsignalemacrossedbtc'],
    ['mar7ket an1d b0y, abcde12345f0', 'marketandabcde'],
    ['涨势强，BTC看多', '涨势强btc看多'],
    ['Ｆｕｌｌ wi\u200bdth', 'fullwidth'],
    ['', ''],
    // Invisible characters in words, of every kind that is not an ordinary letter.
    ['b\ufe00uy b\u{e0100}uy b\u034fuy b\u180buy b\u115fuy b\u3164uy b\uffa0uy b\u17b4uy b\u00aduy b\u{e0020}uy', 'buy'.repeat(10)],
    ['b\u0301uy e\u0323\u0302th résumé buy\u3099', 'buyethresumebuy'],
    ['\u0412\u03c5\u0443 \ua4d0\ua4f4\ua4ec \u0392\u03a5\u0423 ѕеll', 'buybuybyysell'],
    ['ᴍᴀʀᴋᴇᴛ ꜱɪɢɴᴀʟ słødþħŧ ɓøɍɗɇɼ 𝓫𝓾𝔂 Ⓑⓤⓨ', 'marketsignalslodphtborderbuybuy'],
    ['Вода вода ΣΑΣ σας', 'boдaboдaoaooao'],
    ['がか か\u3099 ｶﾞ', 'がかがガ'],
    ['한국어', '한국어'],
    ['🅑uy 🅱uy 🇧uy ʙuʎ bɐsǝ hoǀd buʼy b\ua78fuy ーｰ', 'buybuybuybuybaseholdbuybuyーー'],
    // Digits in most words are no units or ids. Those of a hash are, also where there is little text beside it.
    ['th1e2 fu1nd2i3ng r4a5t6e tu7rn8e9d ne1g2a3tive '.repeat(3), 'thefundingrateturnednegative'.repeat(3)],
    ['th1e2 fu1nd2i3ng r4a5t6e', ''],
    ['hold 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'holdfeaa'],
  ])('%j', (text, letters) => {
    expect(comparablePieces(text)).toMatchObject({ pieces: expect.any(Array), isCut: false });
    expect(piecesOf(text).join('')).toBe(letters);
    expect(piecesOf(text)).toEqual(piecesOf(letters));
  });

  test('are short, and those of a part of a text are among those of the whole', () => {
    const text = englishProse.join(' ');
    const pieces = piecesOf(text);
    expect(pieces.join('').length / pieces.length).toBeCloseTo(4, 0);
    const part = piecesOf(text.slice(500, 1500));
    expect(pieces.join(' ')).toContain(part.slice(2, -2).join(' '));
    const ofOneLetter = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => piecesOf(letter.repeat(100))[0]?.length);
    expect([Math.min, Math.max].map((of) => of(...(ofOneLetter as number[])))).toEqual([3, LONGEST_PIECE]);
    expect(piecesOf('看多')).toEqual(['看', '多']);
  });

  test('do not tell how a text is parted: case, hyphens, spaces, digits', () => {
    for (const text of englishProse) {
      const others = [
        text.replace(/ (\w)/g, (_, letter) => letter.toUpperCase()),
        text.replace(/(\p{L}{2})(\p{L})/gu, '$1-$2'),
        text.replace(/ /g, ' 17 '),
        [...text].map((letter, at) => (at % 3 === 0 ? letter.toUpperCase() : letter)).join(''),
      ];
      for (const other of others) expect(piecesOf(other.replace(/\d/g, ''))).toEqual(piecesOf(text.replace(/\d/g, '')));
    }
  });
});

describe('the data of a decision', () => {
  // biome-ignore format: one case a line
  test.each([
    [{ symbol: 'BTCUSDT', side: 'buy', size: 0.3, reason: 'RSI at 56.2, funding -0.01 %: buy near $91,250.5.' }, 'BTCUSDT buy 0.3 56.2 -0.01 91 250.5'],
    [{ id: 5, orderId: 7, step_id: 9, clientTime: '12', nonce: 'x', ts: 1, bid: 8, candid: 'no' }, '8 no'],
    [{ time: 1763380800000, at: 1763380800, order: '590480926522704171' }, ''],
    [{ note: 'at 2025-11-17T10:00:00.123Z, 10:30, 9f3a77, 20x, -5, 1e-5 and 3.' }, '-5 1e-5 3'],
    [{ candles: [[1.5, -2], { volume: '3' }], signal: 'trend-up', text: 'two words' }, '1.5 -2 3 trend-up'],
  ])('%j', (output, data) => {
    expect(readContent(JSON.stringify({ output })).decision).toBe(data);
  });

  test.each(['5\u034f0-day', '5\u200b0-day', '50\ufe0f-day', '\u206050-day'])(
    'is the same with what nobody sees: %j',
    (text) => {
      const decisionIn = (input: string) =>
        readContent(JSON.stringify({ input: `${input} at 7`, output: 'hold' })).decision;
      expect(decisionIn(text)).toBe(decisionIn('50-day'));
    },
  );

  test('is that of input, output and explanation', () => {
    expect(readContent('{"input":{"a":1},"output":{"b":2.50},"explanation":"3, say","model":"4"}').decision).toBe(
      '1 2.50 3',
    );
  });
});

describe('pieces are bounded', () => {
  test.each([
    ['as long as is compared', 'ab '.repeat(COMPARED_UNITS / 4), false],
    ['longer', `${'ab '.repeat(COMPARED_UNITS / 3)}abc`, true],
    ['of many Chinese characters', '看'.repeat(COMPARED_PIECES + 1), true],
    ['of as many Chinese characters as are compared', '看'.repeat(COMPARED_PIECES), false],
  ])('a text %s', (_name, text, isCut) => {
    const found = comparablePieces(text);
    expect(found.isCut).toBe(isCut);
    expect(found.pieces.length).toBeLessThanOrEqual(COMPARED_PIECES);
  });

  test('what comes after the bound does not count', () => {
    const start = 'abcdefg '.repeat(COMPARED_UNITS / 8);
    expect(comparablePieces(`${start} one`)).toEqual(comparablePieces(`${start} two`));
  });

  test('of the output, with its explanation whole', () => {
    const output = {
      list: Array.from({ length: COMPARED_UNITS / 4 + 10 }, () => 'xyz'),
      last: 'never b\u034fuy e\u034fth n\u034fow',
    };
    const { isCut, pieces, outputPieces, hasHiddenCharacters } = readContent(
      JSON.stringify({ input: {}, output, explanation: 'The end.' }),
    );
    expect([isCut, pieces.join('').endsWith('theend'), outputPieces.join('').includes('never')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(hasHiddenCharacters).toBe(false);
  });

  test.each([
    ['output', COMPARED_UNITS, false],
    ['output', COMPARED_UNITS + 1, true],
    ['explanation', COMPARED_UNITS, false],
    ['explanation', COMPARED_UNITS + 1, true],
  ])('of the %s, with %i characters, and none after them counts', (name, length, isCut) => {
    const contentOf = (text: string) => readContent(JSON.stringify({ output: '', explanation: '', [name]: text }));
    expect(contentOf(' '.repeat(length)).isCut).toBe(isCut);
    const hidden = ' b\u034fuy e\u034fth n\u034fow';
    const { hasHiddenCharacters, pieces } = contentOf(' '.repeat(length) + hidden);
    expect([hasHiddenCharacters, pieces]).toEqual([false, []]);
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

test.each(['\u2065', '\u2066', '\u2067', '\u2068', '\u2069'])(
  'an isolate, or what Unicode reserves beside them, counts in words and not at their ends: %j',
  (character) => {
    const hasHidden = (text: string) =>
      readContent(JSON.stringify({ input: {}, output: { text }, explanation: 'x' })).hasHiddenCharacters;
    expect(hasHidden('b uy e th n ow'.replace(/(?<=\b\w) /g, character))).toBe(true);
    expect(hasHidden('buy eth now '.replaceAll(' ', `${character} `))).toBe(false);
  },
);

describe('the content of a log', () => {
  const contentOf = (log: object) => readContent(JSON.stringify(log));

  test('has the values of the output in their order, at any depth, then the explanation', () => {
    const values = ['The spread narrows while', { deep: 'open interest' }, ['falls, so a short position pays']];
    const output = { name: 'First', list: values, yes: true, no: false, none: null };
    const { outputPieces, pieces } = contentOf({ input: { text: 'unread' }, output, explanation: 'The end.' });
    expect(outputPieces.join('')).toBe('firstthespreadnarrowswhileopeninterestfallssoashortpositionpaystruefalse');
    expect(pieces).toEqual([...outputPieces, ...piecesOf('the end')]);
  });

  test('has the names too if the values have fewer than 48 letters', () => {
    const lettersOf = (count: number) =>
      contentOf({ output: { Name: 'x'.repeat(count) } }).outputPieces.join('').length;
    expect([lettersOf(47), lettersOf(48)]).toEqual([51, 48]);
    expect(contentOf({ output: { name: '看'.repeat(12) } }).outputPieces.join('')).toBe('看'.repeat(12));
    const output = { name: 'First', list: ['second', { deep: 'Third' }, ['fourth']], yes: true, no: false, none: null };
    expect(contentOf({ output }).outputPieces.join('')).toBe('namefirstlistseconddeepthirdfourthyestruenofalsenone');
  });

  test('has no pieces of numbers, however they are written', () => {
    const lettersOf = (n: string) =>
      readContent(`{"input":{},"output":{"a":"x","n":${n},"b":"y"}}`).outputPieces.join('');
    for (const n of ['5', '1.50', '9007199254740993', '-1e400', '{"1":5}']) expect(lettersOf(n)).toBe('axnby');
    expect(lettersOf('{"rawJSON":"text"}')).toBe('axnrawjsontextby');
  });

  test('counts letters of prose without names, unless they are sentences', () => {
    const proseOf = (output: unknown, explanation = '') => contentOf({ output, explanation }).prose;
    const sentence = 'The spread narrows while open interest falls, so a short position pays.';
    const names = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`indicator${n} average`, n]));
    expect([proseOf(names), proseOf({ [sentence]: 1 }), proseOf({ ...names, a: sentence })]).toEqual([0, 58, 58]);
    expect([32, 33].map((length) => proseOf({ [sentence.slice(0, length)]: 1 }))).toEqual([0, 28]);
    expect([proseOf({ side: 'buy' }, sentence), proseOf({}, '看多 buy')]).toEqual([61, 11]);
    // Tools of models are called with JSON in a string.
    const nested = { calls: [{ arguments: JSON.stringify({ of: JSON.stringify([names]) }) }], note: '{no JSON}' };
    expect(proseOf(nested)).toBe(6);
    expect(proseOf({ list: JSON.stringify([sentence, { sentence }]) })).toBe(116);
  });

  test('reads a hundred texts that look like JSON and are none, and no more', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const calls = (length: number) => {
      parse.mockClear();
      contentOf({ output: Array(length).fill('[') });
      return parse.mock.calls.length;
    };
    const counts = [calls(100), calls(1000), calls(4000)];
    parse.mockRestore();
    expect(counts[0]).toBeGreaterThanOrEqual(100);
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
  });

  test('has no pieces of an explanation that is not text', () => {
    expect(contentOf({ input: {}, output: {}, explanation: ['a'] })).toEqual({
      hasData: false,
      explanation: '',
      data: '[{},{}]',
      decision: '',
      outputPieces: [],
      pieces: [],
      letters: 0,
      outputLetters: 0,
      prose: 0,
      outputProse: 0,
      isCut: false,
      hasHiddenCharacters: false,
      trade: UNREAD_TRADE,
      copies: undefined,
    });
    expect(contentOf({}).data).toBe('[null,null]');
  });
});

describe('what a log says of its trade', () => {
  const tradeOf = (output: string, explanation: string) =>
    readContent(JSON.stringify({ stage: 's', model: 'm', orderId: '1', input: '', output, explanation })).trade;

  // biome-ignore format: one case a line
  test.each([
    ['two words', 'calm morning, calm', false],
    ['three words', 'calm morning ends', true],
    ['a word of a script without spaces', '风平浪静', true],
  ])('%s are a reason or none', (_name, text, saysTrade) => {
    expect([tradeOf('', text), tradeOf(text, '')].map(({ says_trade }) => says_trade)).toEqual([saysTrade, saysTrade]);
  });

  test('is read up to 256 Ki characters beside the explanation', () => {
    const length = 256 * 1024 - '"stage":"s"\n"output":""""'.length;
    const [longest, longer] = [0, 1].map((more) => tradeOf('BTC '.padEnd(length + more), ''));
    expect(longest?.named_coins).toBe(' BTC ');
    expect(longer).toEqual(UNREAD_TRADE);
  });
});

describe('the fast way to read a body', () => {
  test.each([
    ['without the exact parser', '{"input":{"a":[1.0,{"b":null}]},"output":{"c":["x",{"d":true}]}}', 0],
    ['with it, if a name is a number', '{"input":{"1":1},"output":{}}', 1],
    ['with it, if a name occurs twice', '{"input":{"a":1,"a":2},"output":{}}', 1],
  ])('reads %s', (_how, body, exact) => {
    const parse = vi.spyOn(JSON, 'parse');
    readContent(body);
    const revived = parse.mock.calls.filter(([, reviver]) => reviver !== undefined);
    parse.mockRestore();
    expect(revived).toHaveLength(exact);
  });

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

  test('finds the same letters in ASCII as in other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        // A letter that is not ASCII makes the text take the slow way.
        expect(`${piecesOf(text).join('')}e`).toBe(piecesOf(`${text} é`).join(''));
      }),
      runs(100, 20_000),
    );
  });
});
