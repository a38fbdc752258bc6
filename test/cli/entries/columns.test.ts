import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, rowsOf } from '../../../cli/entries/columns.ts';

test('objects are the same after a move in columns, but for properties that are undefined or were left out', () => {
  const value = fc.constantFrom<unknown>('', 'text', 7, 7n, null, undefined, new Set(['a']), Uint8Array.of(1));
  const rows = fc.array(fc.record({ a: value, b: value, more: value }, { requiredKeys: ['a'] }), { maxLength: 4 });
  fc.assert(
    fc.property(rows, (all) => {
      const moved = structuredClone(columnsOf<{ a?: unknown; b?: unknown }>(all, ['a', 'b']));
      const kept = all.map(({ a, b }) => ({ ...(a !== undefined && { a }), ...(b !== undefined && { b }) }));
      expect([...rowsOf(moved)]).toStrictEqual(kept);
    }),
  );
});
