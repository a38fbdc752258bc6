import { expect, test } from 'vitest';
import { describeRounded } from '../../../cli/upload/roundedOrders.ts';

const logs = (rounded: number, others: number) => [
  ...Array.from({ length: rounded }, (_, n) => ({ file: `${n}.json`, orderId: '702628302073888800', warning: 'w' })),
  ...Array.from({ length: others }, (_, n) => ({ file: `other${n}.json`, orderId: '702628302073888801' })),
  { file: 'none.json', orderId: null, warning: 'names no order' },
];

test.each([
  [0, 9, undefined],
  [1, 0, '1 of 1 order ids looks rounded, such as 702628302073888800 in 0.json: this can be chance. '],
  [2, 0, '2 of 2 order ids look rounded, such as 702628302073888800 in 0.json: this can be chance. '],
  [3, 0, '3 of 3 order ids look rounded, such as 702628302073888800 in 0.json: too many for chance. '],
  // One in 128 by chance: 2 + 4 / 128 of them are the limit.
  [6, 122, '6 of 128 order ids look rounded, such as 702628302073888800 in 0.json: this can be chance. '],
  [7, 121, '7 of 128 order ids look rounded, such as 702628302073888800 in 0.json: too many for chance. '],
])('%i of them rounded, %i not', (rounded, others, says) => {
  const described = describeRounded(logs(rounded, others));
  if (says === undefined) expect(described).toBeUndefined();
  else expect(described?.startsWith(says), described).toBe(true);
});
