import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContent } from '../../../cli/analysis/logContent.ts';
import { factsOf } from '../../../cli/analysis/logFacts.ts';
import { estimateSimilarity, mix, SIGNATURE_BYTES, shingleHashes, signWords } from '../../../cli/analysis/minHash.ts';
import { countRepeats, createRepetitionFinder, NEAR } from '../../../cli/analysis/repetition.ts';
import type { SignedLog } from '../../../cli/analysis/signedLog.ts';
import { createSignedLogs } from '../../../cli/analysis/signedLogs.ts';
import { COMPARED_UNITS, COMPARED_WORDS, comparableWords, WORD_UNITS } from '../../../cli/analysis/words.ts';
import { log } from './logs.ts';
import { chineseProse, englishProse, templatedProse } from './prose.ts';

/** Creates a finder to which logs are added with their bodies. */
function newFinder() {
  const logs = createSignedLogs();
  const finder = createRepetitionFinder();
  return {
    add: (one: SignedLog, bodySha256: string, body: string | undefined) =>
      finder.add(logs.add(one), factsOf({ ...one, bodySha256 }, readContent(body))),
    find: () => finder.find(logs.columns()),
  };
}

/** Finds the repeats among bodies, which are signed 61 seconds apart, and received at once. */
function findIn(bodies: readonly (readonly [uid: string, body: object])[]) {
  const finder = newFinder();
  for (const [index, [uid, body]] of bodies.entries()) {
    const text = JSON.stringify(body);
    finder.add(log(uid, index * 61), createHash('sha256').update(text).digest('hex'), text);
  }
  return finder.find();
}

/** Returns which entries repeat which, by their place: `own` and `copy`, each as kind and place. */
function repeatsIn(bodies: readonly (readonly [uid: string, body: object])[]) {
  const place = (signedAt: number) => (signedAt - log('1', 0).signedAt) / 61_000;
  return findIn(bodies).flatMap((group) =>
    [...group.members()].flatMap(({ log: { signedAt }, own, copy }) => [
      ...(own ? [`${place(signedAt)} own ${own.kind} ${place(own.of.signedAt)}`] : []),
      ...(copy ? [`${place(signedAt)} copy ${copy.kind} ${place(copy.of.signedAt)}`] : []),
    ]),
  );
}

const [PROSE = '', OTHER = ''] = englishProse;
const base = { stage: 'Decision', model: 'GPT-5', input: { n: 1 }, output: { text: PROSE }, explanation: OTHER };

describe('a log repeats an earlier one', () => {
  // biome-ignore format: one case a line
  test.each([
    ['same body', base, 'body'],
    ['same input and output', { ...base, explanation: 'Something else entirely.' }, 'data'],
    ['same output but for digits', { ...base, input: { n: 2 }, explanation: 'Something else.', output: { text: `${PROSE} 99` , n: 3 } }, undefined],
    ['same output, other numbers', { ...base, input: { n: 2 }, explanation: 'Something else.', output: { text: PROSE.replace(/\d+/g, '7') } }, 'output'],
    ['same text but for digits', { ...base, input: { n: 2 }, output: { text: PROSE.replace(/\d+/g, '7') } }, 'output'],
    ['a word changed', { ...base, input: { n: 2 }, output: { text: PROSE.replace('spread', 'gap') } }, 'near'],
    ['other words', { ...base, input: { n: 2 }, output: { text: englishProse[2] }, explanation: englishProse[3] }, undefined],
  ])('%s', (name, changed, kind) => {
    const own = repeatsIn([['1', base], ['1', changed]]);
    const copy = repeatsIn([['1', base], ['2', changed]]);
    if (name === 'same output but for digits') {
      // A number at the end is one more masked word; the texts are still near-duplicates by most of their words.
      expect([own, copy]).toEqual([['1 own near 0'], ['1 copy near 0']]);
      return;
    }
    expect([own, copy]).toEqual(kind ? [[`1 own ${kind} 0`], [`1 copy ${kind} 0`]] : [[], []]);
  });

  test('a short text counts within a team, not between teams', () => {
    const short = { ...base, output: { action: 'hold' }, explanation: 'No clear signal.' };
    const bodies = [
      ['1', { ...short, input: { n: 1 } }],
      ['2', { ...short, input: { n: 2 } }],
      ['1', { ...short, input: { n: 3 } }],
    ] as const;
    expect(repeatsIn(bodies)).toEqual(['2 own text 0']);
  });

  test('a team that was copied does not copy when it repeats itself', () => {
    const variant = (n: number) => ({ ...base, input: { n } });
    expect(
      repeatsIn([
        ['1', variant(1)],
        ['2', variant(2)],
        ['1', variant(3)],
      ]),
    ).toEqual(['1 copy output 0', '2 own output 0']);
  });

  test('groups come by their size, then by their first log', () => {
    const texts = [0, 1, 2, 1, 0, 1, 2, 3];
    const groups = findIn(
      texts.map((text, n) => ['1', { ...base, input: { n }, output: { text: englishProse[text] } }]),
    );
    const minutes = groups.map((group) =>
      [...group.members()].map(({ log: { signedAt } }) => (signedAt - log('1', 0).signedAt) / 61_000),
    );
    expect(minutes).toEqual([
      [1, 3, 5],
      [0, 4],
      [2, 6],
    ]);
    expect(groups.map(({ size }) => size)).toEqual([3, 2, 2]);
  });

  test('by time, whatever the order in which logs are read', () => {
    const finder = newFinder();
    const [later, earlier] = [log('1', 61), log('2', 0)];
    for (const one of [later, earlier]) finder.add(one, '00'.repeat(32), JSON.stringify(base));
    expect(
      finder.find().flatMap((group) => [...group.members()].map(({ log: { uid }, copy }) => [uid, copy?.of.uid])),
    ).toEqual([
      ['2', undefined],
      ['1', '2'],
    ]);
  });

  test('numbers beyond 2^53 are different data', () => {
    const bodies = ['9007199254740993', '9007199254740992'].map(
      (n) => `{"input":{"n":${n}},"output":{"a":"b"},"explanation":"e"}`,
    );
    expect(readContent(bodies[0]).data).not.toBe(readContent(bodies[1]).data);
  });

  test('a body that cannot be read repeats nothing but the same body', () => {
    const deep = `{"input":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"output":{},"explanation":"e"}`;
    const finder = newFinder();
    finder.add(log('1', 0), 'aa'.repeat(32), deep);
    finder.add(log('1', 1), 'bb'.repeat(32), undefined);
    finder.add(log('1', 2), 'aa'.repeat(32), deep);
    const counts = countRepeats(finder.find()).get('1');
    expect(counts?.own).toEqual({ body: 1, data: 0, output: 0, text: 0, near: 0 });
  });
});

describe('between teams, the time of receipt decides', () => {
  /** Finds who repeats whom among logs with the same text, but for their digits. */
  const relationsOf = (logs: readonly SignedLog[]) => {
    const finder = newFinder();
    for (const [n, one] of logs.entries())
      finder.add(one, String(n).repeat(64), JSON.stringify({ ...base, input: { n } }));
    const placeOf = ({ entryId }: SignedLog) => logs.findIndex((one) => one.entryId === entryId);
    return finder
      .find()
      .flatMap((group) => [...group.members()])
      .sort((a, b) => placeOf(a.log) - placeOf(b.log))
      .map(({ own, copy, sameTime }) => [own, copy, sameTime].map((repeat) => repeat && placeOf(repeat.of)));
  };
  const none = undefined;

  test('who signs an earlier time and uploads later copies', () => {
    expect(relationsOf([log('1', 100, undefined, 101), log('2', 75, undefined, 162)])).toEqual([
      [none, none, none],
      [none, 0, none],
    ]);
  });

  test.each([
    ['25 s later, signed 25 s back', log('2', 75, undefined, 126)],
    ['60 s later', log('2', 100, undefined, 161)],
    ['60 s earlier', log('2', 100, undefined, 41)],
  ])('%s is at the same time, and nobody copies', (_name, other) => {
    expect(relationsOf([log('1', 100, undefined, 101), other])).toEqual([
      [none, none, 1],
      [none, none, 0],
    ]);
  });

  test('a millisecond more is a copy', () => {
    expect(relationsOf([log('1', 100, undefined, 101), log('2', 100, undefined, 161.001)])).toEqual([
      [none, none, none],
      [none, 0, none],
    ]);
  });

  test('a team that was there at the same time does not copy when it repeats itself; a third one does', () => {
    expect(relationsOf([log('1', 0), log('2', 30), log('3', 45), log('2', 500), log('1', 600), log('4', 700)])).toEqual(
      [
        [none, none, 1],
        [none, none, 0],
        [none, none, 0],
        [1, none, none],
        [0, none, none],
        [none, 0, none],
      ],
    );
  });

  test('the counts of both teams are the same', () => {
    const finder = newFinder();
    for (let n = 0; n < 12; n += 1) {
      const body = JSON.stringify({ ...base, input: { n }, output: { text: englishProse[n] } });
      const sha256 = createHash('sha256').update(body).digest('hex');
      finder.add(log('1', n * 1000), sha256, body);
      finder.add(log('2', n * 1000 - 25, undefined, n * 1000 + 2), sha256, body);
    }
    const counts = countRepeats(finder.find());
    expect(['1', '2'].map((uid) => counts.get(uid)?.sameTime.body)).toEqual([12, 12]);
    expect(['1', '2'].map((uid) => counts.get(uid)?.copy.body)).toEqual([0, 0]);
  });

  test('near-duplicates too', () => {
    const near = { ...base, input: { n: 2 }, output: { text: PROSE.replace('spread', 'gap') } };
    const finder = newFinder();
    const [first, second] = [log('1', 100, undefined, 100), log('2', 50, undefined, 200)];
    finder.add(second, 'bb'.repeat(32), JSON.stringify(near));
    finder.add(first, 'aa'.repeat(32), JSON.stringify(base));
    const found = finder.find().flatMap((group) => [...group.members()]);
    expect(found.map(({ log: { uid }, copy }) => [uid, copy?.kind, copy?.of.uid])).toEqual([
      ['1', undefined, undefined],
      ['2', 'near', '1'],
    ]);
  });
});

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

  test('a copy with an invisible character or an accent in every third word is the same text', () => {
    for (const hidden of [
      '\ufe00',
      '\u{e0100}',
      '\u034f',
      '\u180b',
      '\u115f',
      '\u3164',
      '\uffa0',
      '\u17b4',
      '\u0301',
    ]) {
      let n = 0;
      const text = PROSE.replace(/\w+/g, (word) => (n++ % 3 === 0 ? `${word[0]}${hidden}${word.slice(1)}` : word));
      expect(
        repeatsIn([
          ['1', base],
          ['2', { ...base, input: { n: 2 }, output: { text } }],
        ]),
      ).toEqual(['1 copy output 0']);
    }
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
    for (const n of ['5', '1.50', '9007199254740993', '-1e400']) expect(wordsOf(n)).toEqual(['x', '0', 'y']);
    expect(wordsOf('{"rawJSON":"text"}')).toEqual(['x', 'text', 'y']);
  });

  test('has no words of an explanation that is not text', () => {
    expect(contentOf({ input: {}, output: {}, explanation: ['a'] })).toEqual({
      hasData: false,
      data: '[{},{}]',
      outputWords: [],
      words: [],
      isCut: false,
      hasHiddenCharacters: false,
    });
    expect(contentOf({}).data).toBe('[null,null]');
  });
});

describe('MinHash', () => {
  test('every three consecutive words are a shingle, the last ones too', () => {
    const words = ['a', 'b', 'c', 'd'];
    const each = [words.slice(0, 3), words.slice(1)].flatMap((three) => [...shingleHashes(three)]);
    expect([...shingleHashes(words)]).toEqual(each);
    expect(new Set(each).size).toBe(2);
  });

  test('keeps the last byte of the smallest hash at every place', () => {
    const smallest = (shingles: readonly number[], place: number) =>
      Math.min(
        ...shingles.map((shingle) => {
          const product = Math.imul(shingle ^ mix(2 * place + 2), mix(2 * place + 1) | 1);
          return product ^ (product >>> 15);
        }),
      );
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 40 }), (words) => {
        const shingles = [...new Set(shingleHashes(words))];
        const expected = Array.from({ length: SIGNATURE_BYTES }, (_, place) => smallest(shingles, place) & 0xff);
        expect([...signWords(words)]).toEqual(expected);
      }),
    );
  });

  test('estimates the Jaccard similarity of two texts', () => {
    const word = fc
      .integer({ min: 0, max: 400 })
      .map((n) => `w${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]}${'uvwxy'[Math.floor(n / 100)]}`);
    const text = fc.array(word, { minLength: 20, maxLength: 150 });
    fc.assert(
      fc.property(text, text, fc.nat(100), (a, b, shared) => {
        const mixed = [...a.slice(0, Math.floor((a.length * shared) / 100)), ...b];
        const [left, right] = [new Set(shingleHashes(a)), new Set(shingleHashes(mixed))];
        const jaccard = left.intersection(right).size / left.union(right).size;
        // Four and a half standard errors.
        expect(Math.abs(estimateSimilarity(signWords(a), signWords(mixed)) - jaccard)).toBeLessThan(0.2);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  const signatures = (texts: readonly string[]) => texts.map((text) => signWords(comparableWords(text).words));
  const pairs = (texts: readonly string[]) => {
    const all = signatures(texts);
    return all.flatMap((a, index) => all.slice(0, index).map((b) => estimateSimilarity(a, b)));
  };

  test('tells templated prose from honest prose, in English and Chinese', () => {
    expect(Math.max(...pairs(englishProse))).toBeLessThan(NEAR - 0.1);
    expect(Math.max(...pairs(chineseProse))).toBeLessThan(NEAR - 0.1);
    for (const template of templatedProse) expect(Math.min(...pairs(template))).toBeGreaterThan(NEAR + 0.05);
  });

  // The shared words are the first ones of both texts, so the similarity is known.
  test.each([
    [0.4, false],
    [0.65, true],
  ])('texts of a similarity of %d: near-duplicates is %s', (similarity, isNear) => {
    const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const wordsOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${letters(n)}`);
    const shared = Math.round((400 * similarity) / (1 + similarity));
    const text = (name: string) => [...wordsOf('shared', shared), ...wordsOf(name, 200 - shared)].join(' ');
    const bodies = ['x', 'y'].map(
      (name, n) => ['1', { ...base, input: { n }, output: { text: text(name) }, explanation: '' }] as const,
    );
    expect(repeatsIn(bodies)).toEqual(isNear ? ['1 own near 0'] : []);
  });

  test('finds every text of a template, and no honest text', () => {
    const bodies = [...englishProse, ...chineseProse, ...templatedProse.flat()].map(
      (text, n) => ['1', { ...base, input: { n }, output: { text }, explanation: 'See above.' }] as const,
    );
    const sizes = findIn(bodies).map(({ size }) => size);
    expect(sizes).toEqual(templatedProse.map((template) => template.length).sort((a, b) => b - a));
  });
});
