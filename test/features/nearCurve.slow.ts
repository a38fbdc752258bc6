import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRandom } from '../../cli/local/demo/random.ts';
import { SIGNATURE_BYTES, shingleHashes, signPieces } from '../../functions/features/minHash.ts';

/** The rule of near.ts: a band of 4 places in common, and half of all. */
function isFound(one: Uint8Array, other: Uint8Array): boolean {
  const equal = Array.from(one, (byte, place) => byte === other[place]);
  const hasBand = equal.some((_, place) => place % 4 === 0 && equal.slice(place, place + 4).every(Boolean));
  return hasBand && equal.filter(Boolean).length >= SIGNATURE_BYTES / 2;
}

/** Returns two texts whose sets of shingles have a share in common. */
function pairOf(similarity: number, next: () => string): [string[], string[]] {
  const size = 202;
  // Three pieces are a shingle: a run of them has two shingles less.
  const common = 2 + Math.round((2 * (size - 2) * similarity) / (1 + similarity));
  const pieces = (count: number) => Array.from({ length: count }, next);
  const start = pieces(common);
  return [
    [...start, ...pieces(size - common)],
    [...start, ...pieces(size - common)],
  ];
}

test('docs/review.md says which share of nearly equal texts is found', () => {
  const page = readFileSync(new URL('../../docs/review.md', import.meta.url), 'utf8');
  const random = createRandom('near');
  const next = () => `p${random.between(0, 1e9)}`;
  const measured = [45, 50, 55, 60].map((percent) => {
    const found = Array.from({ length: 1000 }, () => {
      const [one, other] = pairOf(percent / 100, next);
      return isFound(signPieces(one), signPieces(other));
    }).filter(Boolean).length;
    return `${percent} % alike: ${Math.round(found / 10)} %`;
  });
  const [one, other] = pairOf(0.5, next).map((pieces) => new Set(shingleHashes(pieces))) as [Set<number>, Set<number>];
  expect(one.intersection(other).size / one.union(other).size).toBeCloseTo(0.5, 2);
  expect(page).toContain(measured.join(', '));
});
