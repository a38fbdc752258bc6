import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewOf } from '../cli/review/figures/review.ts';
import { attackShort, changes, WORDS } from './short.ts';

const SEEDS = ['1', '2', '3'];

test('docs/review.md says which copies of short logs are found, and no author is', async () => {
  const found = new Map<string, string[]>();
  for (const seed of SEEDS) {
    const { logs, attackers } = attackShort(seed);
    const { of } = await reviewOf(logs);
    for (const { words, change, uid } of attackers) {
      const key = `${change} ${words}`;
      found.set(key, [...(found.get(key) ?? []), of(uid).lookAt.join(', ')]);
      expect([seed, key, of(`1${uid.slice(1)}`).lookAt]).toEqual([seed, key, []]);
    }
  }
  const cellOf = (reasons: readonly string[] = []) => {
    const names = [...new Set(reasons.flatMap((text) => (text === '' ? [] : text.split(', '))))].sort();
    const all = reasons.filter((text) => text !== '').length;
    return all === 0 ? '**nothing**' : `${names.join(', ')}${all < SEEDS.length ? ` (${all} of ${SEEDS.length})` : ''}`;
  };
  const rows = Object.keys(changes).map((change) =>
    [change, ...WORDS.map((words) => cellOf(found.get(`${change} ${words}`)))].join(' | '),
  );
  const page = readFileSync(new URL('../../docs/review.md', import.meta.url), 'utf8');
  expect(page).toContain(`${rows.map((row) => `| ${row} |`).join('\n')}\n`);
});
