import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewDemo } from '../cli/local/demo/reviewDemo.ts';
import { attackAll, attacks } from './attacks.ts';
import { bots } from './bots.ts';

const seeds = ['1', '2', '3'];

test.each(seeds.flatMap((seed) => [['attack', seed, attacks] as const, ['honest bot', seed, bots] as const]))(
  'each %s of seed %s is found for what docs/review.md says, or for nothing',
  async (_what, seed, cases) => {
    const { teams, attackers } = attackAll(seed, cases);
    const { of } = await reviewDemo(teams);
    // Copies often state another trade, but not in each seed more than the limit.
    const isSaid = (found: readonly string[]) => (reason: string) => reason !== 'other trade' || found.includes(reason);
    expect(attackers.map(({ name, found, team }) => [name, of(team.uid).lookAt.filter(isSaid(found))])).toEqual(
      attackers.map(({ name, found }) => [name, found]),
    );
    for (const { name, team, leastCopies = 0 } of attackers)
      expect(of(team.uid).copies, name).toBeGreaterThanOrEqual(leastCopies);
  },
);

const page = readFileSync(new URL('../../docs/review.md', import.meta.url), 'utf8');
const rowsOf = (text = '') => [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));

/** Returns what a table finds for each name; a cell has several names, with semicolons between them. */
const foundIn = (table: string[][]) =>
  Object.fromEntries(table.flatMap(([names = '', found]) => names.split('; ').map((name) => [name, found])));

test('docs/review.md lists the attacks, and what finds each', () => {
  const [, section = ''] = page.split('\n## Escapes\n');
  const listed = rowsOf(section.split('\n## ')[0]).slice(1);
  const expected = Object.entries(attacks).map(([name, { found }]) => [name, found.join(', ') || '**nothing**']);
  expect(foundIn(listed)).toEqual(Object.fromEntries(expected));
  expect(listed).toEqual(listed.map(([names, found]) => [names, found, expect.stringMatching(/^.{10,}$/)]));
});

test('docs/review.md lists the honest bots, and what finds each', () => {
  const listed = rowsOf(page.split('\n| bot | found for |\n')[1]?.split('\n## ')[0]);
  const expected = Object.entries(bots).map(([name, { found }]) => [name, found.join(', ') || '–']);
  expect(foundIn(listed)).toEqual(Object.fromEntries(expected));
});
