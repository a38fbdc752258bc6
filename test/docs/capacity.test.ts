import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from '../setup/commandLine.ts';

const PAGE = fileURLToPath(new URL('../../docs/capacity.md', import.meta.url));
const page = readFileSync(PAGE, 'utf8');

test('docs/capacity.md shows what its command prints', async () => {
  const blocks = [...page.matchAll(/```console\n\$ npx ailog ([^\n]*)\n.*?```/gs)];
  expect(blocks).toHaveLength(1);
  const [[block, command = '']] = blocks as [RegExpExecArray];
  const { exitCode, stdout } = await runCommand(command.split(' '));
  expect(exitCode).toBe(0);
  const written = page.replace(block, () => `\`\`\`console\n$ npx ailog ${command}\n${stdout}\`\`\``);
  // To update the page with the real output: WALK=write npx vitest run test/docs/capacity.test.ts
  if (process.env.WALK === 'write') writeFileSync(PAGE, written);
  else expect(page).toBe(written);
});

test('the scenario of docs/capacity.md has nothing to do', async () => {
  const [, command = ''] = /`npx ailog (ops capacity [^`]*)`/.exec(page) ?? [];
  const { stdout } = await runCommand([...command.split(' '), '--json']);
  const { uploadsPerSecond, lines } = JSON.parse(stdout);
  expect(Math.round(uploadsPerSecond)).toBe(58);
  expect(lines.filter((line: object) => 'action' in line)).toEqual([]);
});

test('the costs in docs/capacity.md add up', () => {
  const rows = [...page.matchAll(/^\| ([^|]+) \|[^|]*\| \**([\d.]+)\** \| \**([\d.]+)\** \| \**([\d.]+)\** \|$/gm)];
  const columns = [2, 3, 4].map((column) => rows.map((row) => Number(row[column])));
  expect(rows.at(-1)?.[1]).toBe('**total**');
  for (const column of columns) {
    const total = column.pop() as number;
    expect(column.reduce((sum, dollars) => sum + dollars, 0)).toBeCloseTo(total, 1);
  }
});
