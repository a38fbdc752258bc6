import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { memoryFor, openEngine, quoted } from '../../../../cli/store/duckdb/duckdb.ts';
import { execute, temporaryFolder } from '../../../setup/world.ts';

const ENGINE = new URL('../../../../cli/store/duckdb/duckdb.ts', import.meta.url).href;
const [inside, outside] = [temporaryFolder(), temporaryFolder()];
for (const folder of [inside, outside]) writeFileSync(join(folder, 'a.csv'), 'a,b\n1,2\n');
const engine = await openEngine({ folder: inside });
afterAll(() => engine.close());

const rowsOf = (sql: string) => Array.fromAsync(engine.read<Record<string, unknown>>(sql));

test('integers keep every digit, as numbers where these are exact', async () => {
  expect(
    await rowsOf("SELECT 590480926522704171 AS big, 7 AS small, NULL AS nothing, 'ö' AS text, 0.5 :: DOUBLE AS half"),
  ).toEqual([{ big: 590480926522704171n, small: 7, nothing: null, text: 'ö', half: 0.5 }]);
  const add = await engine.table('kept', { id: 'BIGINT', leaf: 'BINARY', size: 'DOUBLE' });
  await add([
    { id: 9223372036854775807n, leaf: Buffer.from([0, 255]) },
    { id: null, size: 1.5 },
  ]);
  expect(await rowsOf('SELECT * FROM kept ORDER BY id')).toEqual([
    { id: 9223372036854775807n, leaf: Buffer.from([0, 255]), size: null },
    { id: null, leaf: null, size: 1.5 },
  ]);
});

// biome-ignore format: one case a line
test.each([
  ['quotation marks', `'"'' $$ \\ ; --`], ['a zero', 'a\0b'], ['nothing but a zero', '\0'],
  ['many zeros', `'${'\0'.repeat(5000)}'`], ['nothing', ''], ['characters of four bytes', '\u{1f4c9}\ufeff\r\n'],
])('a quoted text is that text: %s', async (_name, text) => {
  const [one, more] = [quoted(text), quoted(`x${text}`)];
  expect(await rowsOf(`SELECT ${one} AS text, 'x' || ${one} = ${more} AS same`)).toEqual([{ text, same: true }]);
});

test('SQL reads and writes in the folder only', async () => {
  const file = (folder: string) => quoted(join(folder, 'a.csv'));
  expect(await rowsOf(`SELECT * FROM read_csv(${file(inside)})`)).toEqual([{ a: 1, b: 2 }]);
  await expect(rowsOf(`SELECT * FROM read_csv(${file(outside)})`)).rejects.toThrow('Permission Error');
  const target = join(outside, 'b.parquet');
  await expect(engine.run(`COPY (SELECT 1) TO ${quoted(target)} (FORMAT parquet)`)).rejects.toThrow('Permission Error');
  expect(existsSync(target)).toBe(false);
  await expect(rowsOf(`SELECT * FROM read_csv(${quoted(join(inside, '..', 'a.csv'))})`)).rejects.toThrow();
});

test.each([
  'SET enable_external_access = true',
  "SET allowed_directories = ['/']",
  "SET temp_directory = '/tmp/other'",
  'SET threads = 8',
  "SET max_temp_directory_size = '1GB'",
  'INSTALL httpfs',
  'LOAD fts',
])('%s is refused', async (sql) => {
  await expect(engine.run(sql)).rejects.toThrow();
});

test('rows that end with an error are not taken for all rows', async () => {
  const late = "SELECT CASE WHEN range > 500000 THEN error('late') ELSE 'a' END AS n FROM range(600000)";
  await expect(rowsOf(late)).rejects.toThrow('DuckDB could not read all rows');
});

test('rows that were added before a statement are there for it', async () => {
  const add = await engine.table('added', { n: 'INTEGER' });
  await add([{ n: 1 }]);
  await engine.run('CREATE TABLE copied AS SELECT * FROM added');
  expect(await rowsOf('SELECT * FROM copied')).toEqual([{ n: 1 }]);
});

test('a view is made when a statement first reads it', async () => {
  let asked = 0;
  const numbers = (query: string) => () => {
    asked += 1;
    return Promise.resolve(query);
  };
  await engine.view('late', numbers('SELECT 1 AS n'));
  await rowsOf("SELECT 'late' AS late");
  expect(asked).toBe(0);
  const both = () =>
    Promise.all([rowsOf('SELECT * FROM late'), rowsOf('SELECT 1 AS n\nFROM range(1) JOIN late ON TRUE')]);
  expect(await both()).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  expect(asked).toBe(1);
  await engine.view('late', numbers('SELECT 2 AS n'));
  expect(await rowsOf('SELECT * FROM late')).toEqual([{ n: 2 }]);
  await engine.view('late', () => Promise.reject(new Error('gone')));
  for (const read of [1, 2]) await expect(rowsOf(`SELECT ${read} FROM late`)).rejects.toThrow('gone');
});

test('the memory for rows is that of each thread and of the rows', () => {
  expect([memoryFor(0, 2), memoryFor(1_000_000, 2), memoryFor(200_000, 16)]).toEqual([350, 400, 1760]);
});

describe('a statement for which the memory is too little', () => {
  /** A list is held in memory as a whole. */
  const listOf = (megabytes: number) => `SELECT list(hash(range)) AS hashes FROM range(${megabytes * 125_000})`;
  const open = () => openEngine({ memory: 20, threads: 1 });
  const OUT = /^Out of Memory Error/;

  test('gets more, changes data once, and leaves more to what follows', async () => {
    const { run, read, close } = await open();
    await run(`CREATE TABLE sizes AS SELECT len(hashes) AS size FROM (${listOf(8)})`);
    await run(`INSERT INTO sizes SELECT len(hashes) FROM (${listOf(16)})`);
    const sizes = [{ size: 1_000_000 }, { size: 2_000_000 }];
    expect(await Array.fromAsync(read('SELECT * FROM sizes ORDER BY size'))).toEqual(sizes);
    expect(await Array.fromAsync(read(`SELECT len(hashes) AS size FROM (${listOf(16)})`))).toEqual(sizes.slice(1));
    close();
  });

  test('gets more if its rows are read', async () => {
    const { read, close } = await open();
    expect(await Array.fromAsync(read(`SELECT len(hashes) AS size FROM (${listOf(16)})`))).toEqual([
      { size: 2_000_000 },
    ]);
    close();
  });

  test('fails if it needs much more', async () => {
    const { run, read, close } = await open();
    await expect(run(`CREATE TABLE hashes AS ${listOf(200)}`)).rejects.toThrow(OUT);
    await expect(Array.fromAsync(read(listOf(200)))).rejects.toThrow(OUT);
    const [{ limit = '' } = {}] = await Array.fromAsync(
      read<{ limit: string }>("SELECT current_setting('memory_limit') AS limit"),
    );
    expect(limit).toBe('76.2 MiB');
    close();
  });

  test('runs alone again, of several in one text', async () => {
    const { run, read, close } = await open();
    await run('CREATE TABLE one (n INTEGER)');
    await run(`INSERT INTO one VALUES (1); CREATE TABLE two AS SELECT len(hashes) AS n FROM (${listOf(16)})`);
    expect(await Array.fromAsync(read('SELECT one.n, two.n AS size FROM one, two'))).toEqual([
      { n: 1, size: 2_000_000 },
    ]);
    close();
  });

  test('may fail beside others', async () => {
    const { run, read, close } = await open();
    await run('CREATE TABLE sizes (n BIGINT)');
    const add = () => run(`INSERT INTO sizes SELECT len(hashes) FROM (${listOf(8)})`);
    await Promise.all([add(), add(), add(), Array.fromAsync(read(`SELECT len(hashes) AS n FROM (${listOf(8)})`))]);
    expect(await Array.fromAsync(read('SELECT count(*) AS n FROM sizes'))).toEqual([{ n: 3 }]);
    close();
  });

  test.each([
    ['one that needs half', 8, '38.1 MiB'],
    ['another error', 0, '19.0 MiB'],
  ])('gets no more than it needs: %s', async (_which, megabytes, limit) => {
    const { run, read, close } = await open();
    if (megabytes > 0) await run(`CREATE TABLE hashes AS ${listOf(megabytes)}`);
    else await expect(run("SELECT error('Out of Memory Error: failed')")).rejects.toThrow('Out of Memory');
    expect(await Array.fromAsync(read("SELECT current_setting('memory_limit') AS limit"))).toEqual([{ limit }]);
    close();
  });
});

test('a full disk is named', async () => {
  const folder = temporaryFolder();
  const copy = `COPY (SELECT random() FROM range(10000)) TO '${join(folder, 'a.parquet')}' (FORMAT parquet)`;
  const program = `const { openEngine } = await import(${JSON.stringify(ENGINE)});
    await (await openEngine({ folder: ${JSON.stringify(folder)} })).run(${JSON.stringify(copy)}).catch(console.log);`;
  // A limit on the size of files takes the place of a full disk.
  const limited = ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program];
  const { stdout } = await execute(limited);
  expect(stdout).toContain(`The file ${join(folder, 'a.parquet')} cannot be used: File too large.`);
  expect(stdout).toContain("outcome: 'usage'");
});
