import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refusals } from '../../functions/http/errors.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The rows of a document's tables, as lists of cells. */
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));

test('docs/errors.md lists the catalogue: each status, code and message, in its order', () => {
  const listed = rows(read('docs/errors.md'))
    .filter(([status = '']) => /^\d{3}$/.test(status))
    .map(([status, code, msg]) => ({ status: Number(status), code, msg }));
  expect(listed).toEqual(Object.values(refusals));
});
