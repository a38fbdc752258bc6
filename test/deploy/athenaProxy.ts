import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  StartQueryExecutionCommand,
  type StartQueryExecutionCommandInput,
} from '@aws-sdk/client-athena';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { vi } from 'vitest';
import { startServer } from '../setup/server.ts';
import { ACCOUNT, type Emulator } from './emulator.ts';

/** What Trino has under another name: the emulator runs queries on DuckDB. */
const TRINO_FUNCTIONS = `
  CREATE TEMP MACRO bitwise_xor(a, b) AS xor(a, b);
  CREATE TEMP MACRO bitwise_or(a, b) AS a | b;
  CREATE TEMP MACRO bitwise_and(a, b) AS a & b;
  CREATE TEMP MACRO bitwise_right_shift(a, b) AS a >> b;
  CREATE TEMP MACRO bit_count(a, b) AS system.main.bit_count(a);`;

const HIVE_TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  INTEGER: 'int',
  BIGINT: 'bigint',
  BOOLEAN: 'boolean',
  DOUBLE: 'double',
};

/**
 * Stands between a client and Athena on the emulator, which has neither `CREATE TABLE AS` nor `INSERT`. It runs the
 * query of such a statement on the emulator, stores its result as a Parquet file, and adds a table for it.
 */
export async function startAthenaProxy({ client, folder }: Emulator, bucket: string) {
  const athena = new AthenaClient(client);
  const s3 = new S3Client({ ...client, forcePathStyle: true });
  const folders = new Map<string, string>();

  async function execute(input: StartQueryExecutionCommandInput, QueryString: string): Promise<string> {
    const { QueryExecutionId } = await athena.send(new StartQueryExecutionCommand({ ...input, QueryString }));
    await vi.waitFor(
      async () => {
        const { QueryExecution } = await athena.send(new GetQueryExecutionCommand({ QueryExecutionId }));
        const { State, StateChangeReason } = QueryExecution?.Status ?? {};
        if (State === 'RUNNING' || State === 'QUEUED') throw new Error(`${QueryString} does not end`);
        if (State === 'FAILED') folders.set('failure', `${StateChangeReason}\n${QueryString}`);
      },
      { timeout: 60_000, interval: 20 },
    );
    const failure = folders.get('failure');
    folders.delete('failure');
    if (failure !== undefined) throw new Error(failure);
    return QueryExecutionId as string;
  }

  /** Stores the rows of a query as a file. @returns its columns as Hive declares them */
  async function store(input: StartQueryExecutionCommandInput, query: string, target: string): Promise<string> {
    const functions = query.includes('bitwise_') ? TRINO_FUNCTIONS : '';
    const id = await execute(input, `${functions}DESCRIBE SELECT * FROM (${query}\n)`);
    const { ResultSet } = await athena.send(new GetQueryResultsCommand({ QueryExecutionId: id }));
    const columns = (ResultSet?.Rows ?? [])
      .map(({ Data = [] }) => Data.map(({ VarCharValue = '' }) => VarCharValue))
      .filter(([, type]) => type !== 'column_type')
      // A sum of integers is of a type that Parquet does not have.
      .map(([name = '', type = '']) => [name, type === 'HUGEINT' ? 'BIGINT' : type] as const);
    const casts = columns.map(([name, type]) => `CAST("${name}" AS ${type}) AS "${name}"`);
    const Key = `${target}${randomUUID()}.parquet`;
    const path = join(folder, 's3', ACCOUNT, bucket, 'athena-proxy', Key);
    mkdirSync(join(path, '..'), { recursive: true });
    await execute(
      input,
      `${functions}COPY (SELECT ${casts.join(', ')} FROM (${query}\n)) TO '${path}' (FORMAT parquet)`,
    );
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: readFileSync(path) }));
    return columns.map(([name, type]) => `\`${name}\` ${HIVE_TYPES[type] ?? `unknown type ${type}`}`).join(', ');
  }

  async function run(input: StartQueryExecutionCommandInput): Promise<string> {
    // Inside a common table expression, its own name is that of the table to Athena, and of itself to the emulator.
    const byWholeName = `AS (SELECT * FROM ${input.QueryExecutionContext?.Database}.entries `;
    const sql = (input.QueryString ?? '').replaceAll('AS (SELECT * FROM entries ', byWholeName);
    const [, external, location] = /^CREATE EXTERNAL TABLE (\w+) .* LOCATION 's3:\/\/[^/]+\/(.*)'$/s.exec(sql) ?? [];
    if (external !== undefined) folders.set(external, location as string);
    const [, created, query] = /^CREATE TABLE (\w+) WITH \(format = 'PARQUET'\) AS\s(.*)$/s.exec(sql) ?? [];
    if (created !== undefined) {
      const target = `results/tables/${created}/`;
      folders.set(created, target);
      const columns = await store(input, query as string, target);
      return execute(
        input,
        `CREATE EXTERNAL TABLE ${created} (${columns}) STORED AS PARQUET LOCATION 's3://${bucket}/${target}'`,
      );
    }
    const [, table, rows] = /^INSERT INTO (\w+)\s(.*)$/s.exec(sql) ?? [];
    if (table === undefined) return execute(input, sql);
    await store(input, rows as string, folders.get(table) as string);
    return execute(input, 'SELECT 1');
  }

  return startServer(async (request, response, body) => {
    const json = { 'Content-Type': 'application/x-amz-json-1.1' };
    try {
      if (request.headers['x-amz-target'] === 'AmazonAthena.StartQueryExecution') {
        const QueryExecutionId = await run(JSON.parse(body.toString()));
        return response.writeHead(200, json).end(JSON.stringify({ QueryExecutionId }));
      }
      const answer = await fetch(client.endpoint, {
        method: 'POST',
        headers: request.headers as Record<string, string>,
        body,
      });
      return response.writeHead(answer.status, json).end(Buffer.from(await answer.arrayBuffer()));
    } catch (error) {
      const message = (error as Error).message;
      return response.writeHead(400, json).end(JSON.stringify({ __type: 'InvalidRequestException', message }));
    }
  });
}
