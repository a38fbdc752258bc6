import { describe, expect, test } from 'vitest';
import { athenaQuery, parseStatement } from '../../../../cli/review/figures/athenaSql.ts';

const names = new Map([
  ['logs', 'run_1_logs'],
  ['claims', 'run_1_claims'],
]);

describe('a query', () => {
  // biome-ignore format: one case a line
  test.each([
    ['a table of the run, which keeps its name for its columns', 'SELECT logs.n FROM logs', 'SELECT logs.n FROM run_1_logs AS logs'],
    ['an alias', 'SELECT a.n FROM logs AS a JOIN claims AS b ON a.n = b.n', 'SELECT a.n FROM run_1_logs AS a JOIN run_1_claims AS b ON a.n = b.n'],
    ['a table that every run reads', 'SELECT uid FROM entries', 'SELECT uid FROM entries'],
    ['a common table expression, which hides a table of its name', 'WITH claims AS (SELECT n FROM logs) SELECT n FROM claims', 'WITH claims AS (SELECT n FROM run_1_logs AS logs) SELECT n FROM claims'],
    ['a second one', 'WITH a AS (SELECT 1),\nclaims AS (SELECT 2) SELECT * FROM claims', 'WITH a AS (SELECT 1),\nclaims AS (SELECT 2) SELECT * FROM claims'],
    ['one behind a comment', 'WITH a AS (SELECT 1),\n-- as often, in (claims) and FROM logs\nclaims AS (SELECT 2) SELECT * FROM claims', 'WITH a AS (SELECT 1),\n\nclaims AS (SELECT 2) SELECT * FROM claims'],
    ['a table that is not of this run', 'SELECT * FROM other', 'SELECT * FROM other'],
  ])('%s', (_, sql, expected) => {
    expect(athenaQuery(sql, names)).toBe(expected);
  });

  test('unequal_bytes gets the functions of Trino', () => {
    const sql = athenaQuery('SELECT unequal_bytes(one.s0, other.s0) FROM t', names);
    expect(sql).not.toContain('unequal_bytes');
    expect(sql).toMatch(/^SELECT bitwise_and\(.*, 72340172838076673\) FROM t$/);
  });
});

test.each([
  ['CREATE TABLE bounds AS SELECT 1 AS n', { kind: 'create', name: 'bounds', query: 'SELECT 1 AS n' }],
  ['CREATE OR REPLACE TABLE near AS\n-- why\nSELECT 1', { kind: 'create', name: 'near', query: '-- why\nSELECT 1' }],
  [
    'CREATE OR REPLACE TABLE pairs (one BIGINT, name VARCHAR)',
    {
      kind: 'create',
      name: 'pairs',
      query: 'SELECT CAST(NULL AS BIGINT) AS one, CAST(NULL AS VARCHAR) AS name WHERE FALSE',
    },
  ],
  ['INSERT INTO pairs SELECT 1', { kind: 'insert', name: 'pairs', query: 'SELECT 1' }],
  ['DROP TABLE IF EXISTS pairs', { kind: 'drop', name: 'pairs' }],
])('%s is a statement of Athena too', (sql, expected) => {
  expect(parseStatement(sql)).toEqual(expected);
});

test('a statement that Athena does not have is an error', () => {
  expect(() => parseStatement('COPY near TO x')).toThrow('Athena has no such statement: COPY near TO x');
});
