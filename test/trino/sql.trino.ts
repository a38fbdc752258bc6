import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { startAthena } from '../cli/review/figures/athena.ts';
import { exampleReview, reviewOf } from '../cli/review/figures/review.ts';
import { execute, temporaryFolder } from '../setup/world.ts';

/*
 * Parses the SQL that Athena gets for a report with the parser of Trino, on which Athena is built. The emulator of AWS
 * runs it on DuckDB, which accepts more.
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '..', '..');

/** Functions of Trino that have the same meaning in DuckDB, or are made there with that meaning. */
const KNOWN = [
  ...['bitwise_and', 'bitwise_or', 'bitwise_right_shift', 'bitwise_xor', 'bool_and', 'bool_or', 'coalesce'],
  ...[
    'concat',
    'concat_ws',
    'count',
    'dense_rank',
    'first_value',
    'greatest',
    'lag',
    'lead',
    'least',
    'max',
    'min',
    'min_by',
    'row_number',
  ],
  ...['strpos', 'sum', 'upper'],
];

/** Words that Trino takes for the alias of a table where DuckDB has a kind of join. */
const JOINS = /^(semi|anti|asof|positional)$/i;

const folder = temporaryFolder();

const filesOf = (name: string, statements: readonly string[]): string[] =>
  statements.map((sql, index) => {
    const path = join(folder, `${name}-${index}.sql`);
    writeFileSync(path, sql);
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
  const command = ['java', '-cp', parser.classPath, join(HERE, 'Parse.java'), ...paths];
  const { exitCode, stdout, stderr } = await execute(command);
  if (exitCode !== 0) throw new Error(stderr);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => line.split('\t')).map(([path = '', ...found]) => [basename(path), ...found]);
}

const parser = await findParser();
beforeEach(({ skip }) => {
  if ('missing' in parser) skip(parser.missing);
});

test('what Athena gets is the SQL of Trino, with functions and joins that both engines have', async () => {
  const athena = await startAthena();
  const { logs, orders } = exampleReview();
  await reviewOf(logs, { orders, open: athena.open });
  await reviewOf(logs, { open: athena.open });
  athena.close();
  // Tables of uploaded files are made by Hive, whose SQL is another one.
  const statements = athena.statements.filter((sql) => !/^(CREATE EXTERNAL|DROP) TABLE/.test(sql));
  const examples = (readFileSync(join(ROOT, 'docs/review.md'), 'utf8').split('\n### Athena\n')[1] ?? '').matchAll(
    /^```sql\n(.*?)^```$/gms,
  );
  const stated = Array.from(examples, ([, sql = '']) => sql);
  const files = [...filesOf('made', statements), ...filesOf('example', stated)];
  const found = await parse(...files);
  expect(statements.length).toBeGreaterThan(60);
  expect(found.filter(([, kind]) => kind === 'error')).toEqual([]);
  expect(found.filter(([, kind]) => kind === 'parsed')).toHaveLength(files.length);
  expect(found.filter(([, kind, name = '']) => kind === 'function' && !KNOWN.includes(name))).toEqual([]);
  expect(found.filter(([, kind, name = '']) => kind === 'alias' && JOINS.test(name))).toEqual([]);
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
  const found = Map.groupBy(await parse(...filesOf('wrong', Object.keys(wrong))), ([file]) => file);
  const kinds = [...found.values()].map((lines) => {
    const [, kind = '', name = ''] = lines[0] ?? [];
    return kind === 'error' ? kind : `${kind} ${name}`;
  });
  expect(kinds.map((kind) => kind.toLowerCase())).toEqual(Object.values(wrong).map((kind) => kind.toLowerCase()));
  expect(KNOWN).not.toContain('list_sum');
  expect('SEMI').toMatch(JOINS);
});
