import { expect, test } from 'vitest';
import { teamRows, wideRow } from '../../../../cli/review/figures/overview.ts';

const team = { uid: '1', team: null, lookAt: [], facts: [], silences: [], entries: 1, verdicts: null };
const rowsOf = (change: object) => teamRows({ ...team, ...change } as never);

// biome-ignore format: one case a line
test.each<[what: string, change: object, column: string, shown: readonly unknown[]]>([
  ['a name of 13 characters', { team: 'Thirteen lets' }, 'team', ['Thirteen lets']],
  ['a longer name', { team: 'Fourteen chars' }, 'team', ['Fourteen cha…']],
  ['reasons that fill 20 characters', { lookAt: ['12345678', '1234567'] }, 'look at', ['12345678?, 1234567?']],
  ['reasons of a character more', { lookAt: ['12345678', '12345678'] }, 'look at', ['12345678?,', '12345678?']],
  ['no reason', {}, 'look at', ['–']],
])('%s', (_what, change, column, shown) => {
  expect(rowsOf(change).map((row) => row[column])).toEqual(shown);
});

test.each([
  [-1, '−1 s'],
  [-0.9, '0 s'],
  [1, '1 s'],
  [null, '–'],
])('a median delay of %s s is shown as %s', (medianDelaySeconds, shown) => {
  expect(wideRow({ ...team, orders: 1, medianDelaySeconds } as never)).toMatchObject({ median: shown });
});
