import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { aiLog, execute, jsonOf } from '../../../setup/world.ts';
import { openRowsData } from './rowsData.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const ORDER = 590480926522704171n;

const data = await openRowsData();
const [one, other] = [await data.oldTeam(), await data.oldTeam()];
const ids: string[] = [];
const text = 'The spread narrows while open interest falls, so a short position pays before the funding hour.';
for (const [index, team] of [one, other].entries()) {
  for (let n = 0; n < 3; n += 1) {
    const orderId = n === 0 ? null : ORDER + BigInt(n);
    const body = jsonOf({ ...aiLog, orderId, output: { text }, explanation: `${text} ✓`, model: `M-${n}` });
    ids.push(await data.uploadAt(team, T0 + n * 60_000 + index, body));
  }
}
const damaged = await data.uploadAt(one, T0 + 10_000_000);
await data.tamper({ uid: one.uid, entryId: damaged }, { body: new Uint8Array(3) });
await data.sequence();

const exportRows = (...args: string[]) => data.ailog(['logs', 'export', '--format', 'parquet', ...args]);

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const db = await DuckDBInstance.create(':memory:');
  const connection = await db.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowObjects();
  connection.closeSync();
  db.closeSync();
  return rows;
}

describe('an export as Parquet', () => {
  test('has every entry with every digit', async () => {
    const { exitCode, stderr } = await exportRows('-o', 'rows.parquet');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('Exported: 6 to rows.parquet.\nLeft out, because the stored body is damaged: 1.'),
    ]);
    const rows = await query(`SELECT * FROM '${join(data.folder, 'rows.parquet')}' ORDER BY entry_id`);
    expect(rows.map(({ entry_id }) => entry_id)).toEqual(ids.toSorted());
    expect(rows.map(({ order_id }) => order_id)).toEqual([null, null, ORDER + 1n, ORDER + 1n, ORDER + 2n, ORDER + 2n]);
    expect(existsSync(join(data.folder, 'rows.parquet.part'))).toBe(false);
  });

  test('of some entries', async () => {
    await exportRows('--uid', other.uid, '--model', 'm-2', '-o', 'some.parquet');
    const rows = await query(`SELECT uid, model FROM '${join(data.folder, 'some.parquet')}'`);
    expect(rows).toEqual([{ uid: other.uid, model: 'M-2' }]);
  });

  test.each([
    ['no file', [], 'A Parquet file needs a name.'],
    ['a file that exists', ['-o', 'some.parquet'], 'already exists'],
  ])('%s is an error', async (_name, args, message) => {
    expect(await exportRows(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });
});

test('docs/review.md has three queries that DuckDB answers', async () => {
  const docs = readFileSync(new URL('../../../../docs/review.md', import.meta.url), 'utf8');
  const queries = [
    ...(docs.split('\n### For analysts\n')[1]?.split('\n## ')[0] ?? '').matchAll(/```sql\n([^`]+)```/g),
  ].map(([, sql]) => sql as string);
  expect(queries).toHaveLength(3);
  for (const sql of queries) {
    const rows = await query(sql.replaceAll("'rows.parquet'", `'${join(data.folder, 'rows.parquet')}'`));
    expect(rows.length).toBeGreaterThan(0);
  }
});

test('pandas and Polars open it', async ({ skip }) => {
  const file = join(data.folder, 'rows.parquet');
  const python = process.env.PYTHON ?? 'python3';
  const programs = {
    pandas: `import pandas, pyarrow; t = pandas.read_parquet('${file}', dtype_backend='pyarrow'); print(t.order_id.max(), len(t), len(t.leaf[0]))`,
    polars: `import polars; t = polars.read_parquet('${file}'); print(t['order_id'].max(), len(t), len(t['leaf'][0]))`,
  };
  const missing: string[] = [];
  for (const [name, program] of Object.entries(programs)) {
    const { exitCode, stdout, stderr } = await execute([python, '-c', program]);
    if (exitCode === null || stderr.includes('ModuleNotFoundError')) missing.push(name);
    else expect([stdout, exitCode]).toEqual([`${ORDER + 2n} 6 32\n`, 0]);
  }
  if (missing.length > 0) skip(`${python} has no ${missing.join(', ')}: pip install pandas pyarrow polars.`);
});
