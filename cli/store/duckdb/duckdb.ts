import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { isRunning } from '../../shell/files/lock.ts';
import { Failure } from '../../shell/terminal/failure.ts';

/** A value of a row of a result. Integers of any size are numbers where these are exact, else bigints. */
export type Cell = string | number | bigint | boolean | Uint8Array | null;

/** Functions by the names that Trino has for them, so that both run the same SQL. Its shift fills with zeros. */
const FUNCTIONS = `
  CREATE MACRO bitwise_and(a, b) AS a & b;
  CREATE MACRO bitwise_or(a, b) AS a | b;
  CREATE MACRO bitwise_xor(a, b) AS xor(a, b);
  CREATE MACRO bitwise_right_shift(bits, places) AS bits >> places;`;

/** The most rows that DuckDB takes at once. */
const CHUNK_ROWS = 2048;

/** The values of `$name` in a statement. */
type Parameters = Readonly<Record<string, string | bigint | null>>;

/** Returns a text as SQL. A statement ends at a zero character, so that a text with some is put together of others. */
export function quoted(text: string): string {
  const [first = '', ...others] = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return others.length === 0 ? first : `concat(${[first, ...others].join(', chr(0), ')})`;
}

/** Returns the query in `sql/<name>.sql`. @param from the URL of a module beside `sql/` */
export const queryOf = (name: string, from: string): string => readFileSync(new URL(`./sql/${name}.sql`, from), 'utf8');

function plain(value: DuckDBValue): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === 'object' && value !== null ? (value as { bytes: Uint8Array }).bytes : value;
}

/** Returns an integer of any size as the engines store it in a column of 64 bits, and other cells as they are. */
export const storedCell = (value: Cell | undefined, type: string): Cell =>
  type === 'BIGINT' && typeof value === 'number' ? BigInt(value) : (value ?? null);

/** @throws Failure that names the file if an error of DuckDB means a full disk, else the error */
function rejectFullDisk(error: Error): never {
  const [, path, why] = /Could not write file "([^"]*)": ([^.\n]*)/.exec(error.message) ?? [];
  if (path === undefined) throw error;
  throw new Failure('usage', `The file ${path} cannot be used: ${why}.`, { cause: error });
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** DuckDB or Athena: what runs the SQL that DuckDB and Trino have in common. */
export type AnyEngine = Engine | (Omit<Engine, 'isLocal' | 'run' | 'view'> & { readonly isLocal: false });

/** Reads all rows of a query. */
export const rowsOf = <Row extends object>({ read }: Pick<AnyEngine, 'read'>, query: string): Promise<Row[]> =>
  Array.fromAsync(read<Row>(query));

/** Returns the number of rows. @param from what follows FROM: a table or a query in parentheses, and conditions */
export async function countOf({ read }: Pick<AnyEngine, 'read'>, from: string): Promise<number> {
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
 * Collects rows. @param store stores them, `most` at a time
 * @returns `flush` stores the rest, so that a query finds them
 */
export function rowBuffer<Row>(most: number, store: (rows: readonly Row[]) => Promise<void>) {
  let waiting: Row[] = [];
  const flush = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    if (rows.length > 0) await store(rows);
  };
  const add = async (rows: readonly Row[]): Promise<void> => {
    for (const row of rows) {
      waiting.push(row);
      if (waiting.length === most) await flush();
    }
  };
  return { add, flush };
}

/** The temporary folders of engines. A command that fails or is stopped does not close its engine. */
const ownFolders = new Set<string>();
const removeOwn = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  ownFolders.delete(folder);
};
process.once('exit', () => ownFolders.forEach(removeOwn));

/** Makes a folder of this process in a folder with data, and deletes the folders of killed processes. */
function ownFolderIn(folder: string): string {
  const temporary = resolve(folder, 'temporary');
  const own = join(temporary, String(process.pid));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const pid of readdirSync(temporary)) {
    if (!isRunning(Number(pid))) rmSync(join(temporary, pid), { recursive: true, force: true });
  }
  return own;
}

/** The threads of an engine. Each needs memory of its own: a query that ends with four can fail with sixteen. */
const THREADS = Math.min(4, availableParallelism());

/** The memory that DuckDB gets for queries on feature rows, in megabytes: with more, they are no faster. */
export const memoryFor = (rows: number, threads = THREADS): number => 150 + 100 * threads + Math.ceil(rows / 20_000);

/** The threads for queries on feature rows: for few, a second one takes more time than it saves. */
export const threadsFor = (rows: number): number => (rows < 10_000 ? 1 : THREADS);

/** A statement that needs more memory gets twice as much, up to this multiple of what the engine had at first. */
const MOST_MEMORY = 4;

/**
 * Opens DuckDB. It loads no extension, and its SQL reads and writes nothing outside of its folder. Only
 * commands that need it load the package, which takes a fifth of a second. docs/decisions.md#duckdb-and-parquet says
 * why it is DuckDB.
 * @param options `folder`: the only one whose files its SQL may read and write, none by default; `memory`: what it may
 * use, in megabytes; what does not fit goes to the disk, and a statement that cannot end so gets more
 */
export async function openEngine({
  folder,
  memory = 800,
  threads = THREADS,
}: {
  folder?: string;
  memory?: number | undefined;
  threads?: number;
} = {}) {
  const { BIGINT, BLOB, BOOLEAN, DuckDBBlobValue, DuckDBDataChunk, DuckDBInstance, DOUBLE, INTEGER, VARCHAR } =
    await import('@duckdb/node-api');
  const types = { BIGINT, BINARY: BLOB, BOOLEAN, DOUBLE, INTEGER, VARCHAR } as const;
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: `${memory}MB`,
    threads: String(threads),
    preserve_insertion_order: 'false',
    // By default, a process keeps several hundred MiB that DuckDB has freed.
    allocator_flush_threshold: '16MB',
    allocator_bulk_deallocation_flush_threshold: '16MB',
  });
  const connection = await instance.connect();
  const own = folder === undefined ? mkdtempSync(join(tmpdir(), 'ailog-')) : ownFolderIn(folder);
  // DuckDB creates this folder when its memory is full, and removes it in the end with all that is in it.
  const spilled = join(own, `engine-${randomUUID()}`);
  const temporary = folder === undefined ? own : spilled;
  ownFolders.add(temporary);
  await connection.run(`SET temp_directory = ${quoted(spilled)}`);
  if (folder !== undefined) await connection.run(`SET allowed_directories = [${quoted(resolve(folder))}]`);
  const locks =
    "SET enable_external_access = false; SET allowed_configs = ['memory_limit']; SET lock_configuration = true;";
  await connection.run(`${FUNCTIONS} ${locks}`);
  // On a connection with a statement that runs, a setting would wait for its end.
  const settings = await instance.connect();
  let limit = memory;
  let giving = Promise.resolve();
  /**
   * Gives DuckDB more memory after an error, once for all statements that began with the same limit.
   * @param had the limit with which the statement began
   * @throws the error if it does not say that memory is needed, or if the statement had the most already
   */
  const giveMemory = async (error: Error, had: number): Promise<void> => {
    const needsMemory = /^Out of Memory Error: (?!failed to offload)/.test(error.message);
    if (!needsMemory || had >= MOST_MEMORY * memory) return rejectFullDisk(error);
    giving = giving.then(async () => {
      if (limit > had) return;
      await settings.run(`SET memory_limit = '${had * 2}MB'`);
      limit = had * 2;
    });
    await giving;
  };
  /** Does some work again and again, each time with more memory, until it has enough. */
  const withMemory = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      const had = limit;
      try {
        return await work();
      } catch (error) {
        await giveMemory(error as Error, had);
      }
    }
  };

  const flushes: (() => Promise<void>)[] = [];
  /** The views that are made when a statement first reads them. */
  const views = new Map<string, () => Promise<void>>();
  const prepareFor = async (sql: string): Promise<void> => {
    for (const [name, make] of views) if (new RegExp(`\\b(FROM|JOIN)\\s+${name}\\b`).test(sql)) await make();
    for (const flush of flushes) await flush();
  };
  /** Runs each statement by itself, so that none runs again because a later one needs more memory. */
  const run = async (sql: string, parameters: Parameters = {}): Promise<void> => {
    await prepareFor(sql);
    for (let [at, count] = [0, 1]; at < count; at += 1) {
      await withMemory(async () => {
        const statements = await connection.extractStatements(sql);
        count = statements.count;
        const prepared = await statements.prepare(at);
        try {
          prepared.bind(parameters);
          await prepared.run();
        } finally {
          prepared.destroySync();
        }
      });
    }
  };
  return {
    isLocal: true as const,

    run,

    /** Makes a table of the rows of a query, in the place of one with its name. */
    make: (name: string, query: string): Promise<void> => run(`CREATE OR REPLACE TABLE ${name} AS\n${query}`),

    append: (name: string, query: string): Promise<void> => run(`INSERT INTO ${name}\n${query}`),

    drop: (name: string): Promise<void> => run(`DROP TABLE IF EXISTS ${name}`),

    /**
     * Has a view made when a statement first reads it, with its name after FROM or JOIN, in the place of one with its
     * name. @param query returns its query, or fails; then every statement that reads it fails so
     */
    async view(name: string, query: () => Promise<string>): Promise<void> {
      await run(`DROP VIEW IF EXISTS ${name}`);
      let made: Promise<void> | undefined;
      const make = async () => run(`CREATE VIEW ${name} AS ${await query()}`);
      views.set(name, () => {
        made ??= make();
        return made;
      });
    },

    /**
     * Reads the rows of a query as objects. Other statements may run meanwhile: on one connection, they would end the
     * rows silently.
     */
    async *read<Row extends object>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row> {
      await prepareFor(sql);
      const own = await instance.connect();
      try {
        const result = await withMemory(() => own.stream(sql, parameters));
        for await (const rows of result.yieldConvertedRowObjects(plain)) yield* rows as Row[];
        // After an error, the rows of a stream end as if they were all, and only this tells the two apart.
        if (!result.isStreaming) throw new Error(`DuckDB could not read all rows, with a limit of ${limit} MB.`);
      } finally {
        own.closeSync();
      }
    },

    /** Creates a table, and returns a function that adds rows to it. @param columns names and types */
    async table<Name extends string>(name: string, columns: Readonly<Record<Name, keyof typeof types>>) {
      const list = Object.entries<keyof typeof types>(columns);
      await run(`CREATE TABLE ${name} (${list.map(([column, type]) => `${column} ${types[type]}`).join(', ')})`);
      const columnTypes = list.map(([, type]) => types[type]);
      const stored = (value: Cell | undefined, type: string) =>
        value instanceof Uint8Array
          ? new DuckDBBlobValue(new Uint8Array(value))
          : (storedCell(value, type) as DuckDBValue);
      type Row = { readonly [Column in Name]?: Cell | undefined };
      const { add, flush } = rowBuffer<Row>(CHUNK_ROWS, async (rows) => {
        const chunk = DuckDBDataChunk.create(columnTypes);
        chunk.setColumns(list.map(([column, type]) => rows.map((row) => stored(row[column as Name], type))));
        const appender = await connection.createAppender(name);
        appender.appendDataChunk(chunk);
        appender.closeSync();
      });
      flushes.push(flush);
      return add;
    },

    close(): void {
      settings.closeSync();
      connection.closeSync();
      instance.closeSync();
      removeOwn(temporary);
    },
  };
}
