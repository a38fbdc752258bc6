import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { withReviewedRows } from '../../../../cli/review/figures/reviewedRows.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';
import { type AnyEngine, countOf } from '../../../../cli/store/duckdb/duckdb.ts';
import type { Target } from '../../../../cli/store/targets/target.ts';
import { FEATURE_COLUMNS, ROW_VERSION } from '../../../../functions/features/featureRow.ts';
import { startAthena } from '../figures/athena.ts';
import { exampleReview, reviewOf, rowOf, T0 } from '../figures/review.ts';

const athena = await startAthena();
afterAll(() => athena.close());
const row = rowOf({ uid: '1001', second: 1 });
const other = rowOf({ uid: '1002', second: 2 });
const add = await athena.stored.table('entries', FEATURE_COLUMNS);
// The first entry has a row of this version too, as after a backfill. The second one has none.
await add([{ ...row, row_version: 1 }, row, { ...other, row_version: 1 }]);

/** Runs work on the rows by Athena. @returns its result, and what was noted */
async function withAthena<Result>(work: (engine: AnyEngine) => Promise<Result>, until?: number) {
  const noted = new PassThrough();
  const terminal = createTerminal({ env: {}, stdin: {}, stderr: noted } as never);
  const target = { name: 'test', openRows: async () => ({ settings: athena.settings, ...athena.place }) };
  const options = { sync: true, engine: 'athena', until } as const;
  const reviewed = target as unknown as Target;
  const result = await withReviewedRows(terminal, reviewed, options, ({ engine }) => work(engine));
  return { result, noted: String(noted.read() ?? '') };
}

test('rows of other versions are not reviewed, and entries that have no others are counted', async () => {
  const read = (engine: AnyEngine) =>
    Array.fromAsync(engine.read<{ uid: string }>('SELECT e.uid, e.row_version FROM entries AS e'));
  expect(await withAthena(read)).toEqual({
    result: [{ uid: '1001', row_version: ROW_VERSION }],
    noted:
      'Entries with rows of another version only, which are not reviewed: 1. ailog data backfill makes them again.\n',
  });
});

test('the days that the end of the period does not need are not read', async () => {
  await athena.stored.run("ALTER TABLE entries ADD COLUMN received_day VARCHAR DEFAULT '2025-11-24'");
  const daysOf = (until: number) => withAthena((engine) => countOf(engine, 'entries'), until);
  // Eight days before the last one, of which logs of orders may be seven late.
  expect([(await daysOf(T0)).result, (await daysOf(T0 - 30_001)).result]).toEqual([1, 0]);
  expect(athena.statements.at(-1)).toContain("entries WHERE received_day <= '2025-11-23' AND row_version");
});

test('an error of a query is not hidden by one of the end', async () => {
  const work = async (engine: AnyEngine) => {
    await engine.make('mine', 'SELECT 1 AS n');
    await engine.make('other', 'SELECT 2 AS n');
    athena.fail(/./);
    await engine.append('mine', 'SELECT 3');
  };
  await expect(withAthena(work)).rejects.toThrow('Athena could not run a query: not now: INSERT INT');
  athena.fail(/^$/);
});

test.each([true, false])('the report is the same by Athena, with an order list: %s', async (hasOrders) => {
  const { logs, orders } = exampleReview();
  const options = hasOrders ? { orders } : {};
  const { of: _of, ...expected } = await reviewOf(logs, options);
  const { of: _other, ...found } = await reviewOf(logs, { ...options, open: athena.open });
  expect(new Set(expected.teams.flatMap(({ lookAt }) => lookAt)).size).toBeGreaterThanOrEqual(5);
  expect(found).toEqual(expected);
});
