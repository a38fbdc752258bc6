/**
 * What each kind of team gets, over five seeds, as the tables of docs/review.md have it. To write them:
 * `UPDATE=1 npx vitest run --project slow test/attack/kinds.slow.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Found, findAll, tableOf } from './kindsTable.ts';

const SEEDS = ['1', '2', '3', '4', '5'];
const PAGE = new URL('../../docs/review.md', import.meta.url);
const PART = /(?<=<!-- kinds -->\n).*?(?=<!-- end of kinds -->)/s;

test('docs/review.md has what each kind of team gets, and no honest kind gets a fact', async () => {
  const found: Found[] = [];
  for (const seed of SEEDS) found.push(...(await findAll(seed)));
  const table = `${tableOf(found, SEEDS.length)}\n`;
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE)
    writeFileSync(
      PAGE,
      page.replace(PART, () => table),
    );
  else expect(PART.exec(page)?.[0]).toBe(table);
  expect(found.filter(({ isHonest, facts }) => isHonest && facts.length > 0)).toEqual([]);
}, 1_800_000);
