import { hash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EntryHashSet } from '../../../cli/inclusion/entryHashSet.ts';

const some = Array.from({ length: 40_000 }, (_, index) => hash('sha256', String(index), 'buffer'));

describe('a set of entry hashes', () => {
  test('has the 20 000 that were added, each in a slot of its own that it keeps, and no other', () => {
    const set = new EntryHashSet(20_000);
    const slots = some.slice(0, 20_000).map((one) => set.add(one));
    expect(some.slice(0, 20_000).map((one) => set.slotOf(one))).toEqual(slots);
    expect(new Set(slots).size).toBe(20_000);
    expect(Math.max(...slots)).toBeLessThan(set.slots);
    expect(some.findIndex((one) => !set.has(one))).toBe(20_000);
    expect(some.findLastIndex((one) => set.has(one))).toBe(19_999);
  });

  test('places the same hashes differently than every other set, so that nobody can choose hashes that collide', () => {
    const [one, other] = [new EntryHashSet(1000), new EntryHashSet(1000)];
    const slotsIn = (set: EntryHashSet) => some.slice(0, 1000).map((entryHash) => set.add(entryHash));
    const [slots, others] = [slotsIn(one), slotsIn(other)];
    // Of 2048 slots, a hash gets the same one twice by chance in 1 of 2048 cases.
    expect(slots.filter((slot, index) => slot === others[index]).length).toBeLessThan(20);
  });

  test('spreads hashes that were chosen to share their first and last bytes', () => {
    const set = new EntryHashSet(1000);
    const chosen = Array.from({ length: 1000 }, () =>
      Buffer.concat([Buffer.alloc(14), randomBytes(4), Buffer.alloc(14)]),
    );
    const slots = chosen.map((entryHash) => set.add(entryHash));
    expect(new Set(slots).size).toBe(1000);
    // In one run of neighbours, they would be found only by going through all of them.
    expect(Math.max(...slots) - Math.min(...slots)).toBeGreaterThan(1500);
  });

  test('tells apart hashes of which any one byte differs', () => {
    const set = new EntryHashSet(1);
    const entryHash = some[0] as Buffer;
    set.add(entryHash);
    for (let at = 0; at < 32; at += 1) {
      const other = Buffer.from(entryHash);
      other[at] = (other[at] as number) ^ 1;
      expect([at, set.has(other)]).toEqual([at, false]);
    }
  });

  test('has a hash that is all zeros only if it was added, and one that was added twice once', () => {
    const set = new EntryHashSet(1);
    expect(set.has(new Uint8Array(32))).toBe(false);
    expect(set.add(new Uint8Array(32))).toBe(set.add(new Uint8Array(32)));
    expect(set.has(new Uint8Array(32))).toBe(true);
  });

  test('rejects an entry that is no hash, and more hashes than it has room for', () => {
    const set = new EntryHashSet(600);
    expect(() => set.add(Buffer.alloc(31))).toThrow('An entry hash has 32 bytes, not 31.');
    for (const one of some.slice(0, 614)) set.add(one);
    expect(set.add(some[0] as Buffer)).toBe(set.slotOf(some[0] as Buffer));
    expect(() => set.add(some[614] as Buffer)).toThrow('created for fewer');
  });
});
