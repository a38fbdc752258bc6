import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { finderByMarks } from '../../../../cli/proof/inclusion/publishedLog.ts';
import { appendEntries, EMPTY_EDGE } from '../../../../functions/c2sp/rightEdge.ts';
import { type Tile, tilePath } from '../../../../functions/c2sp/tiles.ts';

const SIZE = 1000;
const leafAt = (index: number) => createHash('sha256').update(`entryHash ${index}`).digest();
const leaves = Array.from({ length: SIZE }, (_, index) => leafAt(index));
const { files } = appendEntries(EMPTY_EDGE, leaves);
const bytesOf = new Map(files.map(({ path, bytes }) => [path, bytes]));

/** Opens a log with marks. @returns a finder, and the indexes of the bundles that it read */
function openTlog(marks: { cursor: number; size: number }[]) {
  const read: number[] = [];
  const readTile = async (tile: Tile) => {
    read.push(tile.index);
    const bytes = bytesOf.get(tilePath(tile));
    if (!bytes) throw new Error(`no ${tilePath(tile)}`);
    return bytes;
  };
  return { read, find: finderByMarks({ marks }, { size: SIZE }, readTile) };
}
const MARKS = [
  { cursor: 0, size: 0 },
  { cursor: 100, size: 300 },
  { cursor: 200, size: 700 },
];

describe('a lookup by the marks of the head', () => {
  test.each([0, 255, 256, 299, 300, 511, 699, 700, 767, 768, 999])(
    'finds entry hash %i from the start',
    async (index) => {
      expect(await openTlog(MARKS).find(leafAt(index), Number.NaN)).toBe(index);
      expect(await openTlog([]).find(leafAt(index), 150)).toBe(index);
    },
  );

  test('reads no more of the log than where an entry hash may be', async () => {
    const late = openTlog(MARKS);
    expect(await late.find(leafAt(700), 200)).toBe(700);
    expect(late.read.sort()).toEqual([2, 3]);
    const middle = openTlog(MARKS);
    expect(await middle.find(leafAt(400), 199)).toBe(400);
    expect(middle.read.sort()).toEqual([1, 2]);
  });

  test('finds a straggler, which comes after its turn', async () => {
    expect(await openTlog(MARKS).find(leafAt(950), 50)).toBe(950);
  });

  test('does not find an entry hash that is not in the log, or before the time of receipt', async () => {
    expect(await openTlog(MARKS).find(leafAt(SIZE), 50)).toBeUndefined();
    expect(await openTlog(MARKS).find(leafAt(299), 100)).toBeUndefined();
  });

  test('reads each bundle once', async () => {
    const log = openTlog(MARKS);
    for (const entryHash of leaves) await log.find(entryHash, 0);
    expect(log.read.toSorted()).toEqual([0, 1, 2, 3]);
  });

  test('does not go through what it has read again, for entries that are there or not', async () => {
    const log = openTlog([]);
    expect(await log.find(leafAt(SIZE), 0)).toBeUndefined();
    const waits = vi.spyOn(Promise, 'allSettled');
    for (const index of [0, 255, 256, 700, 999]) expect(await log.find(leafAt(index), 0)).toBe(index);
    expect(await log.find(leafAt(SIZE), 0)).toBeUndefined();
    expect(waits).not.toHaveBeenCalled();
    waits.mockRestore();
  });

  test('ignores marks beyond the checkpoint', async () => {
    expect(await openTlog([...MARKS, { cursor: 300, size: SIZE + 5 }]).find(leafAt(999), 400)).toBe(999);
  });
});
