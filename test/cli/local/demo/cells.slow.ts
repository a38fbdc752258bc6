import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { attackShort } from '../../../attack/short.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { execute } from '../../../setup/execute.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { reviewOf, rowOf } from '../../review/figures/review.ts';
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

test('every figure of copies of short logs is, too', async () => {
  const { logs } = attackShort('4', [30, 90]);
  const rows = logs.map(rowOf);
  const { teams } = await reviewOf(rows);
  const exported = rows.map(({ uid, entry_id, received_at, signed_at, model, stage }, n) => {
    const receivedAt = new Date(Number(received_at)).toISOString();
    const { body } = logs[n] ?? {};
    return JSON.stringify({
      ...{ uid, entryId: entry_id, receivedAt, model, stage, body },
      timestamp: `${signed_at}`,
      orderId: null,
    });
  });
  const orders = `head\n${['17', '20'].map((day) => `x,${day},BTC,buy,1,1,2025-11-${day}T00:00:00`).join('\n')}`;
  const expected = reportOn(exported.join('\n'), orders, teams);
  const figures = ({
    uid,
    copies,
    copiesOf,
    copiesBack,
    sameTime,
    follows,
    followsOf,
    shared,
    shortTexts,
    templates,
  }: Omit<(typeof teams)[number], 'status'>) => ({
    uid,
    copies,
    copiesOf,
    copiesBack,
    sameTime,
    follows,
    followsOf,
    shared,
    shortTexts,
    templates,
  });
  expect(teams.filter(({ follows }) => follows > 0).length).toBeGreaterThan(4);
  expect(teams.map((team) => figures(team))).toEqual(expected.teams.map((team) => figures(team as never)));
});
