import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bots } from './bots.ts';
import { dishonestKinds, honestKinds } from './kinds.ts';

test('docs/review.md has each kind of team in its tables', () => {
  const page = readFileSync(new URL('../../docs/review.md', import.meta.url), 'utf8');
  const [, part = ''] = /<!-- kinds -->\n(.*)<!-- end of kinds -->/s.exec(page) ?? [];
  const listed = part.split('\n').flatMap((row) => row.split(' | ')[0]?.replace('| ', '').split('; ') ?? []);
  for (const name of [bots, honestKinds, dishonestKinds].flatMap((kinds) => Object.keys(kinds)))
    expect(listed).toContain(name);
});
