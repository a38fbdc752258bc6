import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { LeafSet, leafSetBytes } from '../../functions/sequencer/leafSet.ts';

const some = Array.from({ length: 40_000 }, (_, index) => createHash('sha256').update(String(index)).digest());

test.each([0, 20_000])('created for %i leaves, it has the 20 000 that were added, and no other', (expected) => {
  const leaves = new LeafSet(expected);
  for (const leaf of some.slice(0, 20_000)) leaves.add(leaf);
  expect(some.findIndex((leaf) => !leaves.has(leaf))).toBe(20_000);
  expect(some.findLastIndex((leaf) => leaves.has(leaf))).toBe(19_999);
});

test('a leaf whose first bytes are zero is found too', () => {
  const leaves = new LeafSet();
  const zero = new Uint8Array(32);
  expect(leaves.has(zero)).toBe(false);
  leaves.add(zero);
  expect(leaves.has(zero)).toBe(true);
});

test('the memory is a power of two of slots, of which at most 60 % are used', () => {
  expect(leafSetBytes(0)).toBe(8 * 1024);
  expect(leafSetBytes(10_000_000) / 1e6).toBeCloseTo(134.2, 1);
  expect(leafSetBytes(10_100_000) / 1e6).toBeCloseTo(268.4, 1);
  for (const leaves of [1000, 614, 615, 40_000_000])
    expect(leaves / (leafSetBytes(leaves) / 8)).toBeLessThanOrEqual(0.6);
});
