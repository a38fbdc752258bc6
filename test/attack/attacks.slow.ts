import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewDemo } from '../cli/local/demo/reviewDemo.ts';
import { attackAll, attacks } from './attacks.ts';

const seeds = ['1', '2', '3'];

test.each(seeds)('each attack of seed %s is found for what docs/review.md says, or for nothing', async (seed) => {
  const { teams, attackers } = attackAll(seed, attacks);
  const { of } = await reviewDemo(teams);
  const foundOf = (name: string): readonly string[] => attacks[name]?.found ?? [];
  // Copies often state another trade, but not in each seed more than the limit.
  const isSaid = (found: readonly string[]) => (reason: string) => reason !== 'other trade' || found.includes(reason);
  expect(attackers.map(({ name, team }) => [name, of(team.uid).lookAt.filter(isSaid(foundOf(name)))])).toEqual(
    attackers.map(({ name }) => [name, foundOf(name)]),
  );
  // An attacker that trades more often than its victim sends some copies before their originals.
  for (const { name, team } of attackers)
    expect(of(team.uid).copies + of(team.uid).copiesBack, name).toBeGreaterThanOrEqual(attacks[name]?.leastCopies ?? 0);
});

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
