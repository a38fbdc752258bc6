import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page =
  readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8').split('\n### What it costs\n')[1] ?? '';

test('the costs in docs/evidence.md add up', () => {
  const rows = [...page.matchAll(/^\| ([^|]+) \|[^|]*\| \**([\d.]+)\** \| \**([\d.]+)\** \| \**([\d.]+)\** \|$/gm)];
  const columns = [2, 3, 4].map((column) => rows.map((row) => Number(row[column])));
  expect(rows.at(-1)?.[1]).toBe('**total**');
  for (const column of columns) {
    const total = column.pop() as number;
    expect(column.reduce((sum, dollars) => sum + dollars, 0)).toBeCloseTo(total, 1);
  }
});
