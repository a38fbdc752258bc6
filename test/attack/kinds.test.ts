import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewDemo } from '../cli/local/demo/reviewDemo.ts';
import { bots } from './bots.ts';
import { dishonestKinds, honestKinds, playKinds } from './kinds.ts';

test('docs/review.md has each kind of team in its tables', () => {
  const page = readFileSync(new URL('../../docs/review.md', import.meta.url), 'utf8');
  const [, part = ''] = /<!-- kinds -->\n(.*)<!-- end of kinds -->/s.exec(page) ?? [];
  const listed = part.split('\n').flatMap((row) => row.split(' | ')[0]?.replace('| ', '').split('; ') ?? []);
  for (const name of [bots, honestKinds, dishonestKinds].flatMap((kinds) => Object.keys(kinds)))
    expect(listed).toContain(name);
});

test('no honest kind of a single team gets a fact, and a team that copies does', async () => {
  const single = Object.entries(honestKinds).filter(([, { teams = 1 }]) => teams === 1);
  const copying = 'copies, with one property more';
  const { all, played } = playKinds('6', {
    ...Object.fromEntries(single),
    [copying]: dishonestKinds[copying] as never,
  });
  const { of } = await reviewDemo(all);
  const first = played.map(({ name, teams }) => [name, of(teams[0]?.uid as string)] as const);
  expect(first.flatMap(([name, { facts }]) => (facts.length > 0 ? [name] : []))).toEqual([copying]);
  expect(first.find(([name]) => name === copying)?.[1].lookAt).toContain('copies');
});
