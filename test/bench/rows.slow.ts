import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasBrowser } from '../setup/browser.ts';
import { execute } from '../setup/execute.ts';

const BENCH = fileURLToPath(new URL('./bench.ts', import.meta.url));

/** Runs a benchmark over a few generated rows. */
const bench = (name: string) =>
  execute([process.execPath, BENCH, name], { env: { ...process.env, BENCH_ROWS: '1000' } });

test('reports over generated rows are measured', async () => {
  const { exitCode, stdout, stderr } = await bench('growth');
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  expect(stdout).toMatch(/\| first report \|.*\n\| second report \|/);
});

test.skipIf(!hasBrowser)('the console over generated rows is measured', async () => {
  const { exitCode, stdout, stderr } = await bench('console');
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  expect(stdout).toContain('search');
});
