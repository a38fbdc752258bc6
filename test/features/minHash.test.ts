import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mix, SIGNATURE_BYTES, shingleHashes, signPieces } from '../../functions/features/minHash.ts';
import { comparablePieces } from '../../functions/features/words.ts';
import { chineseProse, englishProse, templatedProse } from '../cli/review/figures/prose.ts';
import { runs } from '../setup/runs.ts';

/** Estimates the similarity of two sets, from 0 to 1. Two places are equal by chance once in 256. */
function similarityOf(a: Uint8Array, b: Uint8Array): number {
  const equal = a.filter((byte, place) => byte === b[place]).length;
  return Math.max(0, (equal / SIGNATURE_BYTES - 1 / 256) / (255 / 256));
}

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
        expect([...signPieces(words)]).toEqual(expected);
      }),
      runs(100, 2000),
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
        expect(Math.abs(similarityOf(signPieces(a), signPieces(mixed)) - jaccard)).toBeLessThan(0.2);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  const signatures = (texts: readonly string[]) => texts.map((text) => signPieces(comparablePieces(text).pieces));
  const pairs = (texts: readonly string[]) => {
    const all = signatures(texts);
    return all.flatMap((a, index) => all.slice(0, index).map((b) => similarityOf(a, b)));
  };

  test('tells templated prose from honest prose, in English and Chinese', () => {
    expect(Math.max(...pairs(englishProse))).toBeLessThan(0.4);
    expect(Math.max(...pairs(chineseProse))).toBeLessThan(0.4);
    for (const template of templatedProse) expect(Math.min(...pairs(template))).toBeGreaterThan(0.55);
  });
});
