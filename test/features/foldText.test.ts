import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText } from '../../functions/features/foldText.ts';
import { runs } from '../setup/runs.ts';

/** The characters that normalization or lower case make others of. */
const CHANGING = Array.from({ length: 0x30000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => character.normalize('NFKD') !== character || character.toLowerCase() !== character);

describe('folding', () => {
  test('makes no more of one character than six', () => {
    const longest = CHANGING.filter((character) => foldText(character).length > 6 * character.length);
    expect(longest).toEqual([]);
  });

  test('is the same whether the runs of other characters are folded alone or the whole text is', () => {
    const units = [
      'か\u3099',
      '\uff76\uff9e',
      '\u3099',
      '\u0301',
      '\u200d',
      '\u0338',
      '\u1100\u1161\u11a8',
      '\u0130',
      'Σ',
      '😀',
      'İ',
    ];
    const special = fc.array(fc.constantFrom(...units, ...CHANGING, ...'aI<=が決。“'), { minLength: 1, maxLength: 4 });
    const plain = fc.constantFrom('plain text, 決定。'.repeat(40), 'I'.repeat(500));
    const sparse = fc.array(fc.tuple(special, plain), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(sparse, (parts) => {
        const text = parts.map(([characters, rest]) => characters.join('') + rest).join('');
        // With so many runs in it, the whole text is folded at once.
        const dense = ' é'.repeat(text.length);
        expect(foldText(text + dense)).toBe(foldText(text) + foldText(dense));
      }),
      runs(500, 20_000),
    );
  });

  test('gives normalization no run of marks, so that its work does not grow with the square of a run', () => {
    // Characters that normalization makes a mark of are in a run like marks: each of them alone is one.
    const joining = CHANGING.filter((character) => /^\p{M}+$/u.test(character.normalize('NFKD')));
    const before: string[] = [];
    const normalize = String.prototype.normalize;
    String.prototype.normalize = function (form) {
      before.push(String(this));
      return normalize.call(this, form);
    };
    try {
      foldText(`a${joining.join('')}`);
      foldText(
        `a${'\u0301\u0316'.repeat(1000)}b${'\uff9e\u0316'.repeat(1000)}c${'\u0301\u034f\u0316\u200d'.repeat(1000)}`,
      );
    } finally {
      String.prototype.normalize = normalize;
    }
    const longest = before.map((text) =>
      Math.max(...(normalize.call(text, 'NFKD').match(/\p{M}+/gu) ?? ['']).map((run) => run.length)),
    );
    expect(before).not.toEqual([]);
    expect(Math.max(...longest)).toBeLessThanOrEqual(4);
  });

  test('gives the same for a text of usual characters, with and without others beside it', () => {
    const usual = fc.constantFrom(...'abcXYZ 09,.–—‘’“”€←→、。看多涨');
    fc.assert(
      fc.property(fc.array(usual), (characters) => {
        const text = characters.join('');
        expect(`${foldText(text)} e`).toBe(foldText(`${text} é`));
      }),
      runs(100, 100_000),
    );
  });

  test('leaves nothing invisible, and no mark but the sound marks of kana', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldText(text)).not.toMatch(/[[\p{DI}\p{M}]--[\u3099\u309a]]/v);
      }),
      runs(100, 100_000),
    );
  });

  test('makes the two small sigmas equal, and drops format characters that are not ignorable', () => {
    expect(foldText('ΟΔΟΣ, λόγος')).toBe(foldText('οδοσ, λογοσ'));
    for (const format of ['\u0600', '\ufff9', '\u{110bd}']) expect(foldText(`bu${format}y é`)).toBe(foldText('buy é'));
  });

  test('keeps Chinese characters, kana, Hangul, Arabic and Indic letters apart', () => {
    const letters = [...'看多涨跌がかパハあア한국ابتकखก한'];
    expect(new Set(letters.map(foldText)).size).toBe(new Set(letters).size);
  });
});
