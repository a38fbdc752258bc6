import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../../cli/local/serve.ts';
import { withReviewedRows } from '../../../../cli/review/figures/reviewedRows.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';
import { type Engine, openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import type { Target } from '../../../../cli/store/targets/target.ts';
import { FEATURE_COLUMNS } from '../../../../functions/features/featureRow.ts';
import { rowOf } from '../figures/review.ts';

/** Answers as Athena does, with the result of the query on DuckDB. No query that matches `failing` can be run. */
const json = { 'Content-Type': 'application/x-amz-json-1.1' };
let failing = /^$/;
let stored: Engine;
const server = createServer(async (request, response) => {
  const { QueryString, QueryExecutionId } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
  const answers: Record<string, () => unknown> = {
    StartQueryExecution: () => ({ QueryExecutionId: QueryString }),
    GetQueryExecution: () => ({
      QueryExecution: {
        Status: failing.test(QueryExecutionId)
          ? { State: 'FAILED', StateChangeReason: `not now: ${QueryExecutionId.slice(0, 10)}` }
          : { State: 'SUCCEEDED' },
      },
    }),
    GetQueryResults: async () => {
      const rows = await Array.fromAsync(stored.read<Record<string, string | number>>(QueryExecutionId));
      const names = Object.keys(rows[0] ?? {});
      const cells = [names, ...rows.map((row) => names.map((name) => String(row[name])))];
      return {
        ResultSet: {
          ResultSetMetadata: { ColumnInfo: names.map((Name) => ({ Name, Type: 'varchar' })) },
          Rows: cells.map((row) => ({ Data: row.map((VarCharValue) => ({ VarCharValue })) })),
        },
      };
    },
  };
  const [, name = ''] = String(request.headers['x-amz-target']).split('.');
  response.writeHead(200, json).end(JSON.stringify(await answers[name]?.()));
});

let endpoint: string;
beforeAll(async () => {
  endpoint = await listen(server, 0);
  stored = await openEngine();
  const row = rowOf({ uid: '1001', second: 1 });
  const other = rowOf({ uid: '1002', second: 2 });
  const add = await stored.table('entries', FEATURE_COLUMNS);
  // The first entry has a row of this version too, as after a backfill. The second one has none.
  await add([{ ...row, row_version: 1 }, row, { ...other, row_version: 1 }]);
});
afterAll(() => {
  server.close().closeAllConnections();
  stored.close();
});

/** Runs work on the rows by Athena. @returns its result, and what was noted */
async function withAthena<Result>(work: (engine: Engine) => Promise<Result>) {
  const noted = new PassThrough();
  const terminal = createTerminal({ env: {}, stdin: {}, stderr: noted } as never);
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const settings = { endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 };
  const rows = { settings, bucket: 'rows', database: 'd', workgroup: 'w' };
  const target = { name: 'test', openRows: async () => rows } as unknown as Target;
  const options = { sync: true, cache: true, engine: 'athena' } as const;
  const result = await withReviewedRows(terminal, target, options, ({ engine }) => work(engine));
  return { result, noted: String(noted.read() ?? '') };
}

test('rows of other versions are not reviewed, and entries that have no others are counted', async () => {
  const read = (engine: Engine) =>
    Array.fromAsync(engine.read<{ uid: string }>('SELECT e.uid, e.row_version FROM entries AS e'));
  expect(await withAthena(read)).toEqual({
    result: [{ uid: '1001', row_version: '3' }],
    noted:
      'Entries with rows of another version only, which are not reviewed: 1. ailog data backfill makes them again.\n',
  });
});

test('an error of a query is not hidden by one of the end', async () => {
  const work = async (engine: Engine) => {
    await engine.run('CREATE TABLE mine AS SELECT 1 AS n');
    await engine.run('CREATE TABLE other AS SELECT 2 AS n');
    failing = /./;
    await engine.run('INSERT INTO mine SELECT 3');
  };
  await expect(withAthena(work)).rejects.toThrow('Athena could not run a query: not now: INSERT INT');
});
