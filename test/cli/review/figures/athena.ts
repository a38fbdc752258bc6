import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { AthenaClient } from '@aws-sdk/client-athena';
import { S3Client } from '@aws-sdk/client-s3';
import { openAthena } from '../../../../cli/review/figures/athenaEngine.ts';
import { type Cell, openEngine, quoted } from '../../../../cli/store/duckdb/duckdb.ts';
import { startServer, temporaryFolder } from '../../../setup/world.ts';

const JSON_TYPE = { 'Content-Type': 'application/x-amz-json-1.1' };
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };

/** Returns the type of a column of a result by its cells. */
function typeOf(cells: readonly (Cell | undefined)[]): string {
  if (cells.some((cell) => typeof cell === 'boolean')) return 'boolean';
  const numbers = cells.filter((cell) => typeof cell === 'number' || typeof cell === 'bigint');
  if (numbers.length === 0) return 'varchar';
  return numbers.every((cell) => typeof cell === 'bigint' || Number.isInteger(cell)) ? 'bigint' : 'double';
}

/** Starts a server that answers as Athena and S3 do, and runs the queries on DuckDB. It records each statement. */
export async function startAthena() {
  const folder = temporaryFolder();
  const stored = await openEngine({ folder, threads: 1 });
  const statements: string[] = [];
  /** The tables of uploaded files, by the folder of the files. */
  const uploaded = new Map<string, string>();
  const running = { endpoint: '', failing: /^$/ };

  async function execute(sql: string): Promise<object> {
    statements.push(sql);
    if (running.failing.test(sql)) return { State: 'FAILED', StateChangeReason: `not now: ${sql.slice(0, 10)}` };
    const [, name = '', columns = '', place = ''] =
      /^CREATE EXTERNAL TABLE (\w+) \((.*)\) STORED AS PARQUET LOCATION 's3:\/\/(.*)'$/.exec(sql) ?? [];
    if (name !== '') {
      uploaded.set(`/${place}`, name);
      await stored.run(`CREATE TABLE ${name} (${columns.replaceAll('`', '"')})`);
    } else if (!/^(SELECT|WITH)/.test(sql)) await stored.run(sql.replace("WITH (format = 'PARQUET') AS", 'AS'));
    return { State: 'SUCCEEDED' };
  }

  async function results(sql: string): Promise<object> {
    const rows = await Array.fromAsync(stored.read<Record<string, Cell>>(sql));
    const names = Object.keys(rows[0] ?? {});
    const cells = rows.map((row) =>
      names.map((name) => (row[name] === null ? {} : { VarCharValue: String(row[name]) })),
    );
    return {
      ResultSet: {
        ResultSetMetadata: { ColumnInfo: names.map((Name) => ({ Name, Type: typeOf(rows.map((row) => row[Name])) })) },
        Rows: [names.map((VarCharValue) => ({ VarCharValue })), ...cells].map((Data) => ({ Data })),
      },
    };
  }

  async function upload({ url = '' }: IncomingMessage, body: Buffer): Promise<void> {
    const [, place = '', file = ''] = /^(.*\/)([^/?]+)/.exec(url) ?? [];
    mkdirSync(join(folder, 'uploads'), { recursive: true });
    const path = join(folder, 'uploads', file);
    writeFileSync(path, body);
    await stored.run(`INSERT INTO ${uploaded.get(place)} SELECT * FROM read_parquet(${quoted(path)})`);
  }

  const states = new Map<string, object>();
  const server = await startServer(async (request, response, body) => {
    if (request.method === 'PUT') {
      await upload(request, body);
      return response.end();
    }
    const { QueryString, QueryExecutionId } = JSON.parse(body.toString());
    const [, name = ''] = String(request.headers['x-amz-target']).split('.');
    const answer: Record<string, () => unknown> = {
      StartQueryExecution: async () => {
        states.set(QueryString, await execute(QueryString));
        return { QueryExecutionId: QueryString };
      },
      GetQueryExecution: () => ({ QueryExecution: { Status: states.get(QueryExecutionId) } }),
      GetQueryResults: () => results(QueryExecutionId),
    };
    return response.writeHead(200, JSON_TYPE).end(JSON.stringify(await answer[name]?.()));
  });
  running.endpoint = server.url;
  const settings = { endpoint: running.endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 };
  const place = { bucket: 'rows', database: 'd', workgroup: 'w' };
  return {
    settings,
    place,
    stored,
    statements,
    /** Fails the queries that match a pattern from now on. */
    fail(pattern: RegExp): void {
      running.failing = pattern;
    },
    open: async () =>
      openAthena({
        ...place,
        athena: new AthenaClient(settings),
        s3: new S3Client({ ...settings, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' }),
      }),
    close(): void {
      server.close();
      stored.close();
    },
  };
}
