import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { athenaQuery } from '../../cli/review/figures/athenaSql.ts';
import { execute } from '../setup/execute.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

/*
 * Parses the SQL of the analysis with the parser of Trino, on which Athena is built. The emulator of AWS runs it on
 * DuckDB, which accepts more.
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '..', '..');

/** Functions that both engines have, with the same meaning; `unequal_bytes` is one that each engine gets. */
const KNOWN = [
  ...['bool_or', 'coalesce', 'count', 'first_value', 'greatest', 'lag', 'last_value', 'least', 'lower', 'max', 'min'],
  ...['nullif', 'rank', 'row_number', 'sum', 'unequal_bytes'],
];

/** Words that Trino takes for the alias of a table where DuckDB has a kind of join. */
const JOINS = /^(semi|anti|asof|positional)$/i;

const folder = temporaryFolder();
/** The examples of the documentation, as files. */
const examples = [...readFileSync(join(ROOT, 'docs/analytics.md'), 'utf8').matchAll(/^```sql\n(.*?)^```$/gms)].map(
  ([, sql = ''], index) => {
    const path = join(folder, `example-${index}.sql`);
    writeFileSync(path, sql);
    return path;
  },
);
const queries = globSync('cli/review/{rows,figures}/sql/*.sql', { cwd: ROOT });
const files = [...queries.map((path) => join(ROOT, path)), ...examples];

/** The statements that Athena gets for them, as files. */
const names = new Map(queries.map((path) => [basename(path, '.sql'), `run_${basename(path, '.sql').toLowerCase()}`]));
const statements = queries.map((query) => {
  const path = join(folder, `made-${basename(query)}`);
  const sql = athenaQuery(readFileSync(join(ROOT, query), 'utf8'), names);
  writeFileSync(path, `CREATE TABLE made WITH (format = 'PARQUET') AS\n${sql}`);
  return path;
});

/** Finds the parser, which the first run downloads. @returns the class path; the reason why there is none */
async function findParser(): Promise<{ classPath: string } | { missing: string }> {
  const [java, mvn] = await Promise.all([execute(['java', '-version']), execute(['mvn', '-version'])]);
  if (java.exitCode !== 0 || mvn.exitCode !== 0) {
    return { missing: 'this machine has no Java with Maven, which run the parser of Trino' };
  }
  const output = join(folder, 'class-path.txt');
  const goal = ['org.apache.maven.plugins:maven-dependency-plugin:2.8:build-classpath', `-Dmdep.outputFile=${output}`];
  const built = await execute(['mvn', '--batch-mode', '--quiet', '-f', join(HERE, 'pom.xml'), ...goal]);
  if (built.exitCode !== 0) throw new Error(`The parser cannot be downloaded:\n${built.stdout}`);
  return { classPath: readFileSync(output, 'utf8') };
}

/** Parses files. @returns a list for each line: the file, and what was found in it */
async function parse(...paths: string[]): Promise<string[][]> {
  if ('missing' in parser) throw new Error(parser.missing);
  const { exitCode, stdout, stderr } = await execute([
    'java',
    '-cp',
    parser.classPath,
    join(HERE, 'Parse.java'),
    ...paths,
  ]);
  if (exitCode !== 0) throw new Error(stderr);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => line.split('\t')).map(([path = '', ...found]) => [basename(path), ...found]);
}

const parser = await findParser();
beforeEach(({ skip }) => {
  if ('missing' in parser) skip(parser.missing);
});

test('every file is one statement of Trino, with functions and joins that both engines have', async () => {
  const found = await parse(...files);
  expect(found.filter(([, kind]) => kind === 'error')).toEqual([]);
  expect(found.filter(([, kind]) => kind === 'parsed')).toHaveLength(files.length);
  expect(found.filter(([, kind, name = '']) => kind === 'function' && !KNOWN.includes(name))).toEqual([]);
  expect(found.filter(([, kind, name = '']) => kind === 'alias' && JOINS.test(name))).toEqual([]);
});

test('what Athena gets for each file is a statement, and has only functions of Trino', async () => {
  const found = await parse(...statements);
  expect(found.filter(([, kind]) => kind === 'error')).toEqual([]);
  const functions = found.filter(([, kind]) => kind === 'function').map(([, , name = '']) => name);
  const ofTrino = [...KNOWN, 'bitwise_xor', 'bitwise_or', 'bitwise_and', 'bitwise_right_shift', 'bit_count'];
  expect(functions.filter((name) => name === 'unequal_bytes' || !ofTrino.includes(name))).toEqual([]);
});

test('what only DuckDB accepts is found', async () => {
  const wrong = {
    'SELECT a::bigint FROM t': 'error',
    'SELECT * EXCLUDE (a) FROM t': 'error',
    'FROM t': 'error',
    'SELECT a // 2 FROM t': 'error',
    'SELECT a FROM t QUALIFY row_number() OVER () = 1': 'error',
    'SELECT a FROM t SEMI JOIN u ON t.a = u.a': 'alias SEMI',
    'SELECT list_sum(a) FROM t': 'function list_sum',
  };
  const paths = Object.keys(wrong).map((sql, index) => {
    const path = join(folder, `${index}.sql`);
    writeFileSync(path, sql);
    return path;
  });
  const found = Map.groupBy(await parse(...paths), ([file]) => file);
  const kinds = [...found.values()].map((lines) => {
    const [, kind = '', name = ''] = lines[0] ?? [];
    return kind === 'error' ? kind : `${kind} ${name}`;
  });
  expect(kinds.map((kind) => kind.toLowerCase())).toEqual(Object.values(wrong).map((kind) => kind.toLowerCase()));
  expect(KNOWN).not.toContain('list_sum');
  expect('SEMI').toMatch(JOINS);
});
