/**
 * Labels put things into groups: a label per index, equal for all of a group. It is the index of one of them.
 */

/** Returns the smallest power of two that is at least twice a number: the size of a hash table. */
export const tableSize = (count: number) => 2 ** Math.ceil(Math.log2(Math.max(2, count) * 2));

/**
 * Returns for each row the index of the first row that is equal.
 * @param width the bytes of a row, a multiple of four
 */
export function labelRows(rows: Uint8Array, width: number): Uint32Array {
  const parts = width / 4;
  const count = rows.length / width;
  const words = new Uint32Array(rows.buffer, rows.byteOffset, count * parts);
  const areEqual = (a: number, b: number): boolean => {
    for (let part = 0; part < parts; part += 1) if (words[a * parts + part] !== words[b * parts + part]) return false;
    return true;
  };
  const hashOf = (index: number): number => {
    let hash = 0;
    for (let part = 0; part < parts; part += 1) {
      hash = Math.imul(hash ^ (words[index * parts + part] as number), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  };
  const size = tableSize(count);
  /** An open hash table of the first rows, plus one; 0: none. */
  const table = new Uint32Array(size);
  const labels = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    let slot = hashOf(index) & (size - 1);
    while (table[slot] !== 0 && !areEqual((table[slot] as number) - 1, index)) slot = (slot + 1) & (size - 1);
    if (table[slot] === 0) table[slot] = index + 1;
    labels[index] = (table[slot] as number) - 1;
  }
  return labels;
}

/** Joins groupings: two indices are in one group if they share a label, or if a chain of others connects them. */
export function joinLabels(groupings: readonly Uint32Array[], count: number): Uint32Array {
  const roots = Uint32Array.from({ length: count }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (roots[root] !== root) {
      roots[root] = roots[roots[root] as number] as number;
      root = roots[root] as number;
    }
    return root;
  };
  for (const labels of groupings) {
    for (let index = 0; index < count; index += 1) {
      const [a, b] = [rootOf(index), rootOf(labels[index] as number)];
      roots[Math.max(a, b)] = Math.min(a, b);
    }
  }
  return roots.map((_, index) => rootOf(index));
}
