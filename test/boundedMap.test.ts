import { expect, test } from 'vitest';
import { BoundedMap } from '../functions/boundedMap.ts';

test('a full map evicts its oldest entry for a new one, and none for a new value', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
  expect([...map]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  map.set('a', 3);
  expect([...map.keys()]).toEqual(['a', 'b']);
  map.set('c', 4);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
});
