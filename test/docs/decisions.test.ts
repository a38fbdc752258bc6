import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, FOLDER), 'utf8');
const pages = readdirSync(FOLDER).filter((page) => page !== 'README.md');

test('the index lists every decision with its date and title', () => {
  const listed = [...read('README.md').matchAll(/^\| (\d{4}-\d\d-\d\d) \| \[(.+)\]\((.+)\) \|$/gm)].map(
    ([, date, title, page]) => ({ date, title, page }),
  );
  const found = pages.map((page) => {
    const [, title, date] = /^# (.+)\n\nDate: (.+)\n/.exec(read(page)) ?? [];
    return { date, title, page };
  });
  const byPage = (a: { page: string | undefined }, b: { page: string | undefined }) =>
    String(a.page).localeCompare(String(b.page));
  expect(listed.sort(byPage)).toEqual(found.sort(byPage));
});

test.each(pages)('%s has context, decision, consequences and the cost of alternatives', (page) => {
  const headings = [...read(page).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(['Context', 'Decision', 'Consequences', 'Alternatives']);
  expect(read(page)).toMatch(/\| alternative \| cost \|\n\|---\|---\|\n\| .+ \| .+ \|/);
});
