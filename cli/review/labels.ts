/**
 * Labels put things into groups: a label per index, equal for all of a group. It is the index of one of them.
 */

/** Returns for each row the index of the first row that is equal. @param width the bytes of a row, a multiple of four */
export function labelRows(rows: Uint8Array, width: number): Uint32Array {
  const parts = width / 4;
  const count = rows.length / width;
  const words = new Uint32Array(rows.buffer, rows.byteOffset, count * parts);
  const compare = (a: number, b: number): number => {
    for (let part = 0; part < parts; part += 1) {
      const difference = (words[a * parts + part] as number) - (words[b * parts + part] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const sorted = Uint32Array.from({ length: count }, (_, index) => index).sort((a, b) => compare(a, b) || a - b);
  const labels = new Uint32Array(count);
  let first = sorted[0] ?? 0;
  for (const index of sorted) {
    if (compare(first, index) !== 0) first = index;
    labels[index] = first;
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
