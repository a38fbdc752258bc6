import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewDemo } from '../cli/local/demo/reviewDemo.ts';
import { attackAll, attacks } from './attacks.ts';

test.each(['1', '2', '3'])(
  'seed %s: each attack is found for what docs/review.md says, or for nothing',
  async (seed) => {
    const { teams, attackers } = attackAll(seed);
    const { of } = await reviewDemo(teams);
    expect(attackers.map(({ name, team }) => [name, of(team.uid).lookAt])).toEqual(
      attackers.map(({ name, found }) => [name, found]),
    );
  },
);

test('docs/review.md lists the attacks, and what finds each', () => {
  const page = readFileSync(new URL('../../docs/review.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Escapes\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split(' | '),
  );
  const listed = rows.slice(1).filter(([name = '']) => !name.startsWith('-'));
  expect(listed).toEqual(
    Object.entries(attacks).map(([name, { found }]) => [
      name,
      found.join(', ') || '**nothing**',
      expect.stringMatching(/^(nothing|\d.{5,}|.{10,})$/),
      expect.stringMatching(/^.{10,}$/),
    ]),
  );
});
