import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_ROOT, leafHashOf, nodeHash } from '../../functions/c2sp/hashing.ts';
import {
  consistencyRanges,
  inclusionRanges,
  type LeafRange,
  verifyConsistency,
  verifyInclusion,
} from '../../functions/c2sp/proofs.ts';
import { appendEntries, EMPTY_EDGE, rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import { runs } from '../setup/runs.ts';
import tree from '../vectors/tree.json' with { type: 'json' };
import { entriesOf, memoryLog, plainRoot } from './trees.ts';

const inputs = tree.inputs.map((hex) => Buffer.from(hex, 'hex'));

test('a tree without entries has the hash of nothing as its root', () => {
  expect(rootOfEdge(EMPTY_EDGE)).toEqual(createHash('sha256').digest());
  expect(EMPTY_ROOT.toString('hex')).toMatch(/^e3b0c442/);
});

test.each(tree.roots.map((root, index) => [index + 1, root] as const))(
  '%i published inputs have the root %s',
  (size, root) => {
    const log = memoryLog();
    for (const input of inputs.slice(0, size)) log.append([input]);
    expect(rootOfEdge(log.edge()).toString('hex')).toBe(root);
    expect(plainRoot(inputs.slice(0, size)).toString('hex')).toBe(root);
  },
);

describe('proofs', () => {
  // biome-ignore format: one proof a line
  test.each<[string, LeafRange[], LeafRange[]]>([
    ['of leaf 0', inclusionRanges(0, 7), [[1, 2], [2, 4], [4, 7]]],
    ['of leaf 3', inclusionRanges(3, 7), [[2, 3], [0, 2], [4, 7]]],
    ['of leaf 4', inclusionRanges(4, 7), [[5, 6], [6, 7], [0, 4]]],
    ['of leaf 6', inclusionRanges(6, 7), [[4, 6], [0, 4]]],
    ['from 3 leaves', consistencyRanges(3, 7), [[2, 3], [3, 4], [0, 2], [4, 7]]],
    ['from 4 leaves', consistencyRanges(4, 7), [[4, 7]]],
    ['from 6 leaves', consistencyRanges(6, 7), [[4, 6], [6, 7], [0, 4]]],
  ])('RFC 6962, section 2.1.3: the proof %s of a tree of seven', (_name, ranges, expected) => {
    expect(ranges).toEqual(expected);
  });

  test('every leaf of every tree up to 20, and every earlier tree: right as they are, wrong after any change', async () => {
    const entries = entriesOf(20);
    const log = memoryLog();
    for (let size = 1; size <= entries.length; size += 1) {
      log.append(entries.slice(size - 1, size));
      const reader = log.read(size);
      const root = plainRoot(entries.slice(0, size));
      for (let index = 0; index < size; index += 1) {
        const proof = await reader.inclusionProof(index);
        const leaf = { index, size, leafHash: leafHashOf(entries[index] as Buffer), root };
        expect(verifyInclusion(proof, leaf)).toBe(true);
        for (const wrong of changed(proof)) expect(verifyInclusion(wrong, leaf)).toBe(false);
        expect(verifyInclusion(proof, { ...leaf, index: (index + 1) % (size + 1) })).toBe(false);
        expect(verifyInclusion(proof, { ...leaf, leafHash: leafHashOf(Buffer.from('another')) })).toBe(false);
        expect(verifyInclusion(proof, { ...leaf, root: nodeHash(root, root) })).toBe(false);
      }
      for (let from = 1; from <= size; from += 1) {
        const proof = await reader.consistencyProof(from);
        const earlier = { size: from, root: plainRoot(entries.slice(0, from)) };
        expect(verifyConsistency(proof, earlier, { size, root })).toBe(true);
        for (const wrong of changed(proof)) expect(verifyConsistency(wrong, earlier, { size, root })).toBe(false);
        expect(verifyConsistency(proof, { ...earlier, root: nodeHash(root, root) }, { size, root })).toBe(false);
        expect(verifyConsistency(proof, earlier, { size, root: nodeHash(root, root) })).toBe(false);
      }
    }
  });

  test('an empty tree is consistent with any tree, without a proof, and only by its own root', () => {
    const root = plainRoot(inputs);
    expect(verifyConsistency([], { size: 0, root: EMPTY_ROOT }, { size: 8, root })).toBe(true);
    expect(verifyConsistency([root], { size: 0, root: EMPTY_ROOT }, { size: 8, root })).toBe(false);
    expect(verifyConsistency([], { size: 0, root }, { size: 8, root })).toBe(false);
    expect(verifyConsistency([], { size: 0, root }, { size: 0, root })).toBe(false);
    expect(verifyConsistency([], { size: 9, root }, { size: 8, root })).toBe(false);
  });

  test('sizes beyond 2^32 keep every bit', () => {
    const size = 2 ** 52 + 3;
    expect(inclusionRanges(size - 1, size)).toEqual([
      [2 ** 52, 2 ** 52 + 2],
      [0, 2 ** 52],
    ]);
    expect(inclusionRanges(2 ** 40 + 1, 2 ** 41).slice(0, 2)).toEqual([
      [2 ** 40, 2 ** 40 + 1],
      [2 ** 40 + 2, 2 ** 40 + 4],
    ]);
    expect(() => inclusionRanges(0, 2 ** 53)).toThrow('from 0 to 2^53 - 1');
  });
});

describe('tiles', () => {
  test.each([
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 0, index: 1234, width: 5 }, 'tile/0/x001/234.p/5'],
    [{ level: 3, index: 0, width: 255 }, 'tile/3/000.p/255'],
    [{ level: 'entries', index: 1000, width: 256 }, 'tile/entries/x001/000'],
  ] as const)('%o is at %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
  });

  test('however a log grows, its tiles hold the same tree and no file is written twice', async () => {
    const entries = entriesOf(8 * 600);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 600 })), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.nat(),
        async (batches, pick) => {
          const log = memoryLog();
          let size = 0;
          for (const batch of batches) {
            const before = log.edge();
            log.append(entries.slice(size, size + batch));
            size += batch;
            const root = rootOfEdge(log.edge());
            const proof = await log.read(size).consistencyProof(before.size);
            expect(verifyConsistency(proof, { size: before.size, root: rootOfEdge(before) }, { size, root })).toBe(
              true,
            );
          }
          const index = pick % size;
          const root = rootOfEdge(log.edge());
          expect(root).toEqual(plainRoot(entries.slice(0, size)));
          const leaf = { index, size, leafHash: leafHashOf(entries[index] as Buffer), root };
          expect(verifyInclusion(await log.read(size).inclusionProof(index), leaf)).toBe(true);
          const stored = [...bundlesFrom(0, size)].flatMap((tile) =>
            readBundle(log.files.get(tilePath(tile)) as Buffer, tile.width),
          );
          expect(stored).toEqual(entries.slice(0, size));
        },
      ),
      runs(10, 200),
    );
  });

  test('a bundle with another number of entries, or cut short, is none', () => {
    const log = memoryLog();
    log.append(entriesOf(3));
    const bundle = log.files.get('tile/entries/000.p/3') as Buffer;
    expect(() => readBundle(bundle, 2)).toThrow('holds 3 entries instead of 2');
    expect(() => readBundle(bundle.subarray(0, -1), 3)).toThrow('ends within an entry');
    expect(() => readBundle(bundle.subarray(0, 35), 1)).toThrow('ends within the length of an entry');
  });
});

/** Every proof that is one change away: a bit of a hash, one hash fewer, one more at either end. */
function changed(proof: readonly Buffer[]): Buffer[][] {
  const flipped = proof.map((hash, index) => {
    const other = Buffer.from(hash);
    other[index % 32] = (other[index % 32] as number) ^ 1;
    return proof.with(index, other);
  });
  const extra = Buffer.alloc(32, 7);
  return [
    ...flipped,
    [...proof, extra],
    [extra, ...proof],
    ...(proof.length > 0 ? [proof.slice(1), proof.slice(0, -1)] : []),
  ];
}

test('a tile is read once, and again only after a thousand others', async () => {
  const reads = new Map<number, number>();
  const { rootOf } = treeReader(async ({ level, index, width }) => {
    if (level === 0) reads.set(index, (reads.get(index) ?? 0) + 1);
    return Buffer.alloc(width * 32);
  }, 256 * 1100);
  const readOne = (tile: number) => rootOf(256 * tile + 1);
  await readOne(0);
  await readOne(0);
  expect(reads.get(0)).toBe(1);
  for (let tile = 1; tile < 1100; tile += 1) await readOne(tile);
  await readOne(0);
  expect([reads.get(0), reads.get(1099)]).toEqual([2, 1]);
});

test('without entries, nothing is written', () => {
  const { edge } = appendEntries(EMPTY_EDGE, entriesOf(3));
  expect(appendEntries(edge, [])).toEqual({ edge, files: [] });
});
