import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AthenaClient,
  GetQueryExecutionCommand,
  paginateGetQueryResults,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { ATHENA_TYPES, type Columns, rowFile } from '../../../functions/features/rowFile.ts';
import { dayOf } from '../../../functions/indexer/rowFolders.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type AnyEngine, type Cell, rowBuffer, storedCell } from '../../store/duckdb/duckdb.ts';
import { LATEST_LOG_MS } from './limits.ts';

/**
 * The bucket has the rows; the files of a run are below `results/`, where they expire. `until`: the end of the period
 * of a review, in milliseconds since 1970: days that it does not need are not read.
 */
type AthenaOptions = Readonly<{ athena: AthenaClient; s3: S3Client; until?: number | undefined }> &
  Readonly<Record<'workgroup' | 'database' | 'bucket', string>>;

const FILE_ROWS = 100_000;
const POLL_MS = 300;

/** Athena returns every cell as text. */
function parseCell(text: string | undefined, type: string | undefined): Cell {
  if (text === undefined) return null;
  if (type === 'boolean') return text === 'true';
  if (type === 'varbinary') return Buffer.from(text.replaceAll(' ', ''), 'hex');
  if (type !== 'bigint' && type !== 'integer' && type !== 'double') return text;
  const number = Number(text);
  return Number.isSafeInteger(number) || type === 'double' ? number : BigInt(text);
}

/**
 * Returns a query as Athena runs it. In front of it, names are given to the tables of this run: no common table
 * expression of the query may have such a name. @param tables what follows FROM, by the names in the query
 */
function athenaQuery(query: string, tables: ReadonlyMap<string, string>): string {
  const sql = query.replace(/--.*$/gm, '').trim();
  // Athena looks up all tables that are given a name.
  const named = [...tables].filter(([name]) => sql.includes(name));
  if (named.length === 0) return sql;
  const views = named.map(([name, table]) => `${name} AS (SELECT * FROM ${table})`).join(',\n');
  return sql.startsWith('WITH ') ? `WITH ${views},\n${sql.slice('WITH '.length)}` : `WITH ${views}\n${sql}`;
}

/**
 * Returns Athena as an engine: `entries` has the rows of this version, and `rows_of_all_versions` all. It makes each
 * table once by `CREATE TABLE AS`, and `close` drops them.
 */
export function openAthena({ athena, s3, workgroup, database, bucket, until }: AthenaOptions): AnyEngine {
  const run = `run_${randomBytes(6).toString('hex')}`;
  // A log is received up to 30 s after the time with which it is signed. Originals are of all days before.
  const days = until === undefined ? 'TRUE' : `received_day <= '${dayOf(until + LATEST_LOG_MS + CLOCK_TOLERANCE_MS)}'`;
  const tables = new Map([
    // Each sees only the names before it: both are made of the table.
    ['rows_of_all_versions', `entries WHERE ${days}`],
    ['entries', `entries WHERE ${days} AND row_version = ${ROW_VERSION}`],
  ]);
  const made: string[] = [];

  async function execute(QueryString: string): Promise<string> {
    const context = { WorkGroup: workgroup, QueryExecutionContext: { Database: database } };
    const { QueryExecutionId } = await athena.send(new StartQueryExecutionCommand({ QueryString, ...context }));
    for (;;) {
      const { QueryExecution } = await athena.send(new GetQueryExecutionCommand({ QueryExecutionId }));
      const { State, StateChangeReason } = QueryExecution?.Status ?? {};
      if (State === 'SUCCEEDED') return QueryExecutionId as string;
      if (State === 'FAILED' || State === 'CANCELLED') {
        throw new Failure('unreachable', `Athena could not run a query: ${StateChangeReason ?? State}`);
      }
      await pause(POLL_MS);
    }
  }

  const nameFor = (name: string): string => {
    const table = `${run}_${made.length}_${name.toLowerCase()}`;
    made.push(table);
    return table;
  };
  const uploads: (() => Promise<void>)[] = [];
  const upload = async () => {
    for (const store of uploads) await store();
  };

  return {
    isLocal: false,

    async make(name, query) {
      await upload();
      const sql = athenaQuery(query, tables);
      const table = nameFor(name);
      await execute(`CREATE TABLE ${table} WITH (format = 'PARQUET') AS\n${sql}`);
      tables.set(name, table);
    },

    async append(name, query) {
      await upload();
      await execute(`INSERT INTO ${tables.get(name)}\n${athenaQuery(query, tables)}`);
    },

    async drop(name) {
      tables.delete(name);
    },

    async *read<Row extends object>(sql: string): AsyncGenerator<Row> {
      await upload();
      const QueryExecutionId = await execute(athenaQuery(sql, tables));
      let header = 1;
      for await (const { ResultSet } of paginateGetQueryResults({ client: athena }, { QueryExecutionId })) {
        const columns = ResultSet?.ResultSetMetadata?.ColumnInfo ?? [];
        for (const { Data = [] } of (ResultSet?.Rows ?? []).slice(header)) {
          const cells = columns.map(({ Name, Type }, place) => [Name, parseCell(Data[place]?.VarCharValue, Type)]);
          yield Object.fromEntries(cells) as Row;
        }
        header = 0;
      }
    },

    async table(name, columns) {
      const table = nameFor(name);
      const types = Object.entries<keyof typeof ATHENA_TYPES>(columns);
      const list = types.map(([column, type]) => `\`${column}\` ${ATHENA_TYPES[type]}`).join(', ');
      const folder = `results/${run}/${table}/`;
      await execute(`CREATE EXTERNAL TABLE ${table} (${list}) STORED AS PARQUET LOCATION 's3://${bucket}/${folder}'`);
      tables.set(name, table);
      const shape = { types: columns, nullable: types.map(([column]) => column) } as unknown as Columns<object>;
      let files = 0;
      const { add, flush } = rowBuffer<Readonly<Record<string, Cell | undefined>>>(FILE_ROWS, async (rows) => {
        files += 1;
        const cellsOf = (row: (typeof rows)[number]) =>
          Object.fromEntries(types.map(([column, type]) => [column, storedCell(row[column], type)]));
        const Body = rowFile(shape, rows.map(cellsOf));
        await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${folder}${files}.parquet`, Body }));
      });
      uploads.push(flush);
      return add as never;
    },

    async close() {
      for (const table of made) await execute(`DROP TABLE IF EXISTS ${table}`);
    },
  };
}
