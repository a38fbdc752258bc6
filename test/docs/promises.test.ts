import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settings } from '../../infra/settings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(ROOT + path, 'utf8');

/** What the pages say, in pieces that a reader takes as a whole: paragraphs, list items and rows of tables. */
const said = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].flatMap((page) =>
  read(page)
    .split(/\n\n|\n(?=\s*(?:[-*|]|\d+\.) )/)
    .map((text) => ({ page, text: text.replace(/\s+/g, ' ') })),
);
/** Expects that what states a promise states its limit too. @param atLeast how often the promise stands at least */
function expectLimit(promise: RegExp, limit: RegExp, atLeast: number): void {
  const stating = said.filter(({ text }) => promise.test(text));
  expect(stating.length).toBeGreaterThanOrEqual(atLeast);
  expect(stating.filter(({ text }) => !limit.test(text))).toEqual([]);
}
const rows = (text: string) =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.replaceAll('**', '').split(' | '));
const numbersIn = (text = '') =>
  Array.from(text.replace(/\]\(.*?\)/g, '').matchAll(/([\d.]+)( min\b)?/g), ([, number, minutes]) =>
    minutes ? 60 * Number(number) : Number(number),
  );

test('what gets a 500 after somebody changed the row can be answered from memory', () => {
  expectLimit(/\b500\b.*(?:row|entry)\b.*chang|chang.*(?:row|entry)\b.*\b500\b/i, /memory|remembers|#retries/, 4);
});

test('a success carries a receipt, with exceptions', () => {
  expectLimit(/success(?:es)? (?:carries|has|have)\b.*receipt/i, /exception|rare|no receipt/i, 3);
});

test('every response to an HTTP request has the envelope; what is none is not proven', () => {
  expectLimit(
    /every (?:response|answer)\b.*(?:JSON|envelope)/i,
    /HTTP request.*(?:not-proven\.md|broken request line)|local server/,
    3,
  );
  const captures = said.filter(({ page, text }) => page === 'docs/not-proven.md' && /request line.*openssl/.test(text));
  expect(captures).toHaveLength(1);
});

const performance = read('docs/performance.md');

test('performance.md says missed where a goal is missed, and nowhere else', () => {
  const promises = rows(performance.slice(0, performance.indexOf('\n## ')));
  // The first figure of the load is a least rate, every other one is a most.
  const judged = promises.filter(
    ([promise = '', goal]) => /\d/.test(goal ?? '') && !promise.startsWith('Many uploads'),
  );
  expect(judged.length).toBeGreaterThanOrEqual(9);
  for (const [promise, goal, measured] of judged) {
    const figures = numbersIn(measured);
    const isMissed = numbersIn(goal).some((most, index) => (figures[index] ?? Number.NaN) > most);
    expect([promise, measured?.includes('missed')]).toEqual([promise, isMissed]);
  }
});

test('performance.md compares an upload with four calls, and names five calls beside them', () => {
  const [, section = ''] = performance.split('## Warm upload');
  const [head, ...sizes] = rows(section.split('\n## ')[0] ?? '');
  expect(head?.filter((cell) => cell.includes('CPU, to'))).toEqual(['CPU, to four calls', 'CPU, to five calls']);
  const [, goal, measured] = rows(performance).find(([promise]) => promise?.includes('four bare calls')) ?? [];
  const column = (index: number) => sizes.map((cells) => Number(cells[index]));
  expect([column(2), column(1)]).toEqual([numbersIn(goal), numbersIn(measured)]);
  expect(said.filter(({ text }) => /its calls/.test(text) && /CPU/.test(text))).toEqual([]);
});

test('no page says that receipts cost nothing', () => {
  expect(said.filter(({ text }) => /receipts? (?:make no upload|costs? nothing|does not slow)/i.test(text))).toEqual(
    [],
  );
});

test('one page says what an admin can insert, and both say that prod has no witnesses by default', () => {
  expect(settings.witnesses).toEqual(expect.objectContaining({ default: undefined }));
  expect(settings.witnesses).not.toHaveProperty('inProd');
  expect(read('docs/threats.md')).toContain('(proof.md#what-an-admin-can-still-insert)');
  const insertable = said.filter(({ text }) => /dated within the last ten minutes/.test(text));
  expect(insertable.map(({ page }) => page)).toEqual(['docs/proof.md']);
  for (const page of ['docs/proof.md', 'docs/threats.md'])
    expect(
      said.find(({ page: on, text }) => on === page && /no deployment has (?:one )?by default/.test(text)),
    ).toBeDefined();
  expect(read('docs/proof.md')).toMatch(/witness in ten minutes/);
});

test('all pages have one scenario', () => {
  const capacity = read('docs/capacity.md').replace(/\s+/g, ' ');
  const pattern = /(\d+) teams upload a log of (\d+) KB a minute for three weeks, and seven a minute at the peak/;
  const [, teams, kilobytes] = pattern.exec(capacity) ?? [];
  const uploads = Number(teams) * 21 * 24 * 60;
  expect(capacity).toContain(`makes ${uploads.toLocaleString('en').replaceAll(',', ' ')} uploads`);
  expect(capacity).toContain(`That is ${Math.round(uploads / 1e6)} million logs.`);
  expect(read('README.md')).toContain(`${teams} teams that upload a log of ${kilobytes} KB a minute`);
  const commands = said.flatMap(
    ({ text }) => text.match(/ops \w+[^`]*? --teams \d+ --per-minute \d+ --peak \d+/g) ?? [],
  );
  expect(commands.length).toBeGreaterThanOrEqual(4);
  expect(commands.filter((command) => !command.endsWith(` --teams ${teams} --per-minute 1 --peak 7`))).toEqual([]);
  expectLimit(
    /\bscenario\b/i,
    /capacity\.md|scenario\*\*|^## The scenario|^The scenario makes|of the scenario in prod|scenario has/,
    4,
  );
});
