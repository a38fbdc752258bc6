import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { Failure } from '../terminal/failure.ts';

/** A value of a row of a result. Integers of any size are numbers where these are exact, else bigints. */
export type Cell = string | number | bigint | boolean | Uint8Array | null;

/** How an engine is opened. */
export interface EngineOptions {
  /** The only folder whose files its SQL may read and write; none by default. */
  readonly folder?: string | undefined;
  /** A new file for its tables, in that folder; by default, they are in memory. */
  readonly file?: string | undefined;
  /** The memory that it may use, such as `1GB`. */
  readonly memory?: string | undefined;
  readonly threads?: number | undefined;
}

/**
 * What Trino has under another name or not at all: a 1 in each of the eight bytes at which two parts of signatures
 * differ. Of each byte of the difference, the shifts leave one bit.
 */
const FUNCTIONS = `
  CREATE MACRO folded(bits, places) AS bits | (bits >> places);
  CREATE MACRO unequal_bytes(a, b) AS folded(folded(folded(xor(a, b), 4), 2), 1) & 72340172838076673;`;

/** The values of `$name` in a statement. */
type Parameters = Readonly<Record<string, string | bigint | null>>;

/** Returns a literal of SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function plain(value: DuckDBValue): Cell {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return (value as { bytes: Uint8Array }).bytes;
}

/** @throws Failure that names the file if an error of DuckDB is that of a full disk, else the error */
function rejectFullDisk(error: Error): never {
  const [, path, why] = /Could not write file "([^"]*)": ([^.\n]*)/.exec(error.message) ?? [];
  if (path === undefined) throw error;
  throw new Failure('usage', `The file ${path} cannot be used: ${why}.`, { cause: error });
}

/** An open SQL engine. */
export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** Returns the number of rows. @param from what follows FROM: a table or a query in parentheses, and conditions */
export async function countOf({ read }: Pick<Engine, 'read'>, from: string): Promise<number> {
  for await (const { n } of read<{ n: number }>(`SELECT count(*) AS n FROM ${from}`)) return n;
  return 0;
}

/** Reads the rows of a query in batches. The last one has fewer rows, or none. */
export async function* readBatches<Row extends object>({ read }: Pick<Engine, 'read'>, query: string, size: number) {
  let batch: Row[] = [];
  for await (const row of read<Row>(query)) {
    if (batch.push(row) < size) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * Opens DuckDB. It loads no extension, and its SQL reads and writes nothing outside of its folder. Only
 * commands that need it load the package, which takes a fifth of a second. docs/decisions/duckdb-and-parquet.md says
 * why it is DuckDB.
 */
export async function openEngine({
  folder,
  file = ':memory:',
  memory = folder === undefined ? '2GB' : '800MB',
  threads = availableParallelism(),
}: EngineOptions = {}) {
  // DuckDB would take what follows for parameters, and put its log beside another folder.
  if (file.includes('?'))
    throw new Failure(
      'usage',
      `The path ${file} has a question mark, which DuckDB cannot take in the name of a file.`,
      {
        advice: 'Rename the folder, or let the command keep nothing there with --no-cache.',
      },
    );
  const { BIGINT, BLOB, BOOLEAN, DuckDBBlobValue, DuckDBDataChunk, DuckDBInstance, DOUBLE, INTEGER, VARCHAR } =
    await import('@duckdb/node-api');
  const types = { BIGINT, BINARY: BLOB, BOOLEAN, DOUBLE, INTEGER, VARCHAR } as const;
  const instance = await DuckDBInstance.create(file, {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: memory,
    threads: String(threads),
    preserve_insertion_order: 'false',
  });
  const connection = await instance.connect();
  const own = folder === undefined ? mkdtempSync(join(tmpdir(), 'ailog-')) : undefined;
  const temporary = own ?? resolve(folder as string, 'temporary', String(process.pid));
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  // DuckDB creates this folder when its memory is full, and removes it in the end, whatever is in it.
  await connection.run(`SET temp_directory = ${quoted(join(temporary, `engine-${randomUUID()}`))}`);
  if (folder !== undefined) await connection.run(`SET allowed_directories = [${quoted(resolve(folder))}]`);
  await connection.run(`${FUNCTIONS} SET enable_external_access = false; SET lock_configuration = true;`);

  const run = async (sql: string, parameters: Parameters = {}): Promise<void> => {
    await connection.run(sql, parameters).catch(rejectFullDisk);
  };
  return {
    /** False if it is not DuckDB, so that it runs only the SQL that both engines have. */
    isLocal: true,

    run,

    /** Makes a table of the query in `sql/<name>.sql`. @param from another file */
    async make(name: string, from = name): Promise<void> {
      const sql = readFileSync(new URL(`./sql/${from}.sql`, import.meta.url), 'utf8');
      await run(`CREATE OR REPLACE TABLE ${name} AS\n${sql}`);
    },

    /**
     * Reads the rows of a query as objects. Other statements may run meanwhile: on one connection, they would end the
     * rows silently.
     */
    async *read<Row extends object>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row> {
      const own = await instance.connect();
      try {
        const result = await own.stream(sql, parameters);
        const names = result.columnNames();
        for await (const rows of result.yieldRows()) {
          for (const row of rows)
            yield Object.fromEntries(names.map((name, place) => [name, plain(row[place] ?? null)])) as Row;
        }
      } finally {
        own.closeSync();
      }
    },

    /**
     * Creates a table, and returns a function that appends rows to it.
     * @param columns names and types
     */
    async table<Name extends string>(name: string, columns: Readonly<Record<Name, keyof typeof types>>) {
      const list = Object.entries<keyof typeof types>(columns);
      await run(`CREATE TABLE ${name} (${list.map(([column, type]) => `${column} ${types[type]}`).join(', ')})`);
      const columnTypes = list.map(([, type]) => types[type]);
      const stored = (value: Cell | undefined, type: keyof typeof types): DuckDBValue => {
        if (value instanceof Uint8Array) return new DuckDBBlobValue(new Uint8Array(value));
        return type === 'BIGINT' && typeof value === 'number' ? BigInt(value) : (value ?? null);
      };
      return async (rows: readonly { readonly [Column in Name]?: Cell | undefined }[]): Promise<void> => {
        const appender = await connection.createAppender(name);
        for (let start = 0; start < rows.length; start += 2048) {
          const part = rows.slice(start, start + 2048);
          const chunk = DuckDBDataChunk.create(columnTypes, part.length);
          for (const [place, [column, type]] of list.entries()) {
            const cells = part.map((row) => stored(row[column as Name], type));
            chunk.setColumnValues(place, cells);
          }
          appender.appendDataChunk(chunk);
        }
        appender.closeSync();
      };
    },

    close(): void {
      connection.closeSync();
      instance.closeSync();
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
    },
  };
}
