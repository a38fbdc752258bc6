import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FOLDED_UNITS_OF_ONE, foldText } from '../../../cli/text/foldText.ts';

/** The characters that normalization or lower case make others of. */
const CHANGING = Array.from({ length: 0x30000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => character.normalize('NFKD') !== character || character.toLowerCase() !== character);

describe('folding', () => {
  test('makes no more of one character than its bound', () => {
    const longest = CHANGING.filter((character) => foldText(character).length > FOLDED_UNITS_OF_ONE * character.length);
    expect(longest).toEqual([]);
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
    expect(before).toHaveLength(4);
    expect(Math.max(...longest)).toBeLessThanOrEqual(4);
  });

  test('gives the same for a text of usual characters, with and without others beside it', () => {
    const usual = fc.constantFrom(...'abcXYZ 09,.–—‘’“”€←→、。看多涨');
    fc.assert(
      fc.property(fc.array(usual), (characters) => {
        const text = characters.join('');
        expect(`${foldText(text)} e`).toBe(foldText(`${text} é`));
      }),
    );
  });

  test('leaves nothing invisible, and no mark but the sound marks of kana', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldText(text)).not.toMatch(/[[\p{DI}\p{M}]--[\u3099\u309a]]/v);
      }),
    );
  });

  test('keeps Chinese characters, kana, Hangul, Arabic and Indic letters apart', () => {
    const letters = [...'看多涨跌がかパハあア한국ابتकखก한'];
    expect(new Set(letters.map(foldText)).size).toBe(new Set(letters).size);
  });
});
