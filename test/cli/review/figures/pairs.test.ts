import { expect, test } from 'vitest';
import { createRandom } from '../../../../cli/local/demo/random.ts';
import { attackShort, honestLogs, shortOf } from '../../../attack/short.ts';
import { englishProse } from './prose.ts';
import { apart, type Log, reviewOf } from './review.ts';

const HOUR = 3600;
const textOf = (n: number) => `${englishProse[n % 12]} ${englishProse[(n + 5) % 12]}`;

/** Returns a log of a text, with data of its own. */
const logOf = (uid: string, second: number, text: string): Log => ({
  ...{ uid, second, received: second },
  body: JSON.stringify({ input: { at: second, of: uid }, output: { text, price: second }, explanation: '' }),
});

/** Logs that no other team has. */
const others = (uid: string, count: number): Log[] =>
  Array.from({ length: count }, (_, n) => ({ uid, second: n * 60 }));

/** Texts of teams, and the same an hour later of another one. */
const taken = (from: readonly string[], by: string) =>
  from.flatMap((uid, n) => [logOf(uid, n * 100, textOf(n)), logOf(by, HOUR + n * 100, textOf(n))]);

const CASES = [
  ['three of one team', taken(['1', '1', '1'], 'A'), [3, '1', 0, 0, 'copies']],
  ['two of one team', taken(['1', '1'], 'A'), [2, '1', 0, 0]],
  ['one of each of twelve teams', taken('bcdefghijklm'.split(''), 'A'), [1, 'b', 0, 0]],
  ['three among sixty others', [...taken(['1', '1', '1'], 'A'), ...others('A', 60)], [3, '1', 0, 0]],
  [
    'one log, sixty times',
    [...taken(['1'], 'A'), ...Array.from({ length: 60 }, (_, n) => logOf('A', 9000 + n, textOf(0)))],
    [1, '1', 0, 0],
  ],
  [
    'five, and three the other way round',
    [
      ...taken(Array(5).fill('1'), 'A'),
      ...[7, 8, 9].flatMap((n) => [logOf('A', n, textOf(n)), logOf('1', HOUR + n, textOf(n))]),
    ],
    [5, '1', 3, 0, 'copies'],
  ],
  [
    'what a third team has, too',
    [...taken(Array(5).fill('1'), 'A'), ...taken(Array(5).fill('1'), 'B')],
    [0, null, 0, 5],
  ],
] as const;

test('the copies of a team, those that are taken back, and what others share', async () => {
  const { of } = await reviewOf(CASES.flatMap(([, logs], n) => apart(logs, n)));
  for (const [n, [name, , expected]] of CASES.entries()) {
    const { copies, copiesOf, copiesBack, shared, lookAt } = of(`${n}A`);
    const reasons = lookAt.filter((reason) => reason !== 'template');
    expect([name, copies, copiesOf?.slice(1) ?? null, copiesBack, shared, ...reasons]).toEqual([name, ...expected]);
  }
});

test('one log that is sent first makes nobody a copier', async () => {
  const used = (uid: string) => Array.from({ length: 60 }, (_, n) => logOf(uid, HOUR + n * 100, textOf(0)));
  const { teams } = await reviewOf([logOf('X', 0, textOf(0)), ...used('A'), ...used('B')]);
  expect(teams.map(({ uid, copies, shared }) => [uid, copies, shared]).sort()).toEqual([
    ['A', 0, 60],
    ['B', 0, 60],
    ['X', 0, 1],
  ]);
});

test('short copies with a word more are found, and who wrote them is not accused', async () => {
  const { logs, attackers } = attackShort('1', [30]);
  const { of } = await reviewOf(logs);
  for (const { uid, change } of attackers) {
    const { follows, followsOf, copies, lookAt } = of(uid);
    const isFound = !change.includes('fifth');
    expect([change, copies + follows >= 55, lookAt.length > 0]).toEqual([change, isFound, isFound]);
    expect([null, `1${uid.slice(1)}`]).toContain(followsOf);
    expect(of(`1${uid.slice(1)}`).lookAt).toEqual([]);
  }
});

test('answers of one model accuse nobody', async () => {
  const logs = [100, 1000].flatMap((size) => {
    const random = createRandom(`${size}`);
    const pool = Array.from({ length: size }, () => shortOf(random, 15));
    return Array.from({ length: 3 }, (_, n) => honestLogs(`${size}-${n}`, random, 15, pool)).flat();
  });
  const found = (await reviewOf(logs)).teams.flatMap(({ uid, lookAt }) => lookAt.map((reason) => `${uid} ${reason}`));
  expect(found.filter((reason) => !reason.endsWith('repeats'))).toEqual([]);
});
