import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute, runCommand, temporaryFolder } from '../../../setup/world.ts';
import { reportOn } from './independentReport.ts';

test('every cell of the report on the demo is what a program without SQL and MinHash computes', async () => {
  const cwd = temporaryFolder();
  const fill = fileURLToPath(new URL('../../../../cli/local/demo/fillDemo.ts', import.meta.url));
  await execute([process.execPath, fill, '--seed', '1'], { cwd, env: {} });
  const ailog = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runCommand(args, { cwd });
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  await ailog('logs', 'export', '-o', 'logs.jsonl');
  const found = JSON.parse(await ailog('report', '--json', '--orders', '.local/demo-orders.csv'));
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const teams = JSON.parse(await ailog('allowlist', 'list', '--json'));
  const expected = reportOn(read('logs.jsonl'), read('.local/demo-orders.csv'), teams);
  const byUid = (one: { uid: string }, other: { uid: string }) => Number(one.uid) - Number(other.uid);
  for (const report of [found, expected]) report.teams.sort(byUid);
  expect(found.teams.length).toBe(45);
  for (const [at, team] of expected.teams.entries())
    expect(found.teams[at]).toEqual({ ...team, tlog: expect.objectContaining(team.tlog) });
  expect(found).toMatchObject({ period: expected.period, contestedOrders: expected.contestedOrders });
  const cellsIn = (value: unknown): number =>
    typeof value === 'object' && value !== null ? Object.values(value).reduce((sum, one) => sum + cellsIn(one), 0) : 1;
  expect(cellsIn(expected)).toBeGreaterThan(157_000);
});
