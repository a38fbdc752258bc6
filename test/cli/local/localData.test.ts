import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createKeyFile, createTables, makePrivate } from '../../../cli/local/localData.ts';
import { localIdentity, tableNames } from '../../../cli/store/targets/data.ts';
import type { TableShape } from '../../../functions/tables.ts';
import { type TableId, tables } from '../../../infra/tables.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT as string, ...localIdentity });
const names = tableNames(`T${randomBytes(6).toString('hex')}-`);
const newPath = () => join(temporaryFolder(), 'credentials.key');
const describe = async (TableName: string) => (await client.send(new DescribeTableCommand({ TableName }))).Table;

test('tables have the keys, indexes and expiry that are declared; a missing table is added later', async () => {
  await createTables(client, names);
  const created = new Map<TableId, Awaited<ReturnType<typeof describe>>>();
  for (const [id, shape] of Object.entries(tables) as [TableId, TableShape][]) {
    const table = await describe(names[id]);
    created.set(id, table);
    const keys = (schema: { AttributeName?: string | undefined }[] = []) => schema.map((key) => key.AttributeName);
    const declared = ({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) => [
      partitionKey.name,
      ...(sortKey ? [sortKey.name] : []),
    ];
    expect(keys(table?.KeySchema)).toEqual(declared(shape));
    expect(
      Object.fromEntries((table?.GlobalSecondaryIndexes ?? []).map((one) => [one.IndexName, keys(one.KeySchema)])),
    ).toEqual(Object.fromEntries(Object.entries(shape.indexes ?? {}).map(([name, index]) => [name, declared(index)])));
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: names[id] }));
    expect(TimeToLiveDescription?.AttributeName).toBe(shape.timeToLive);
  }

  await client.send(new DeleteTableCommand({ TableName: names.weights }));
  await createTables(client, names);
  expect((await describe(names.weights))?.KeySchema).toEqual(created.get('weights')?.KeySchema);
});

test('a folder, its folders and its files become private; a link does not make its target so', () => {
  const root = temporaryFolder();
  const path = (name: string) => join(root, name);
  const modes = (...names: string[]) => names.map((name) => statSync(path(name)).mode & 0o777);
  writeFileSync(path('outside'), '');
  mkdirSync(path('data/log'), { recursive: true });
  for (const name of ['data/key', 'data/log/tile']) writeFileSync(path(name), '');
  symlinkSync(path('outside'), path('data/link'));
  for (const name of ['outside', 'data/key', 'data/log/tile']) chmodSync(path(name), 0o644);
  for (const name of ['data', 'data/log']) chmodSync(path(name), 0o755);
  makePrivate(path('data'));
  expect(modes('data', 'data/log', 'data/key', 'data/log/tile', 'outside')).toEqual([
    0o700, 0o700, 0o600, 0o600, 0o644,
  ]);

  makePrivate(path('new/data'));
  expect(modes('new/data')).toEqual([0o700]);
});

test('a key file is random, private, and never replaced', () => {
  const [path, other] = [newPath(), newPath()];
  createKeyFile(path);
  createKeyFile(other);
  const key = readFileSync(path, 'utf8');
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(key).not.toBe(readFileSync(other, 'utf8'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  createKeyFile(path);
  expect(readFileSync(path, 'utf8')).toBe(key);
});

test('processes that create a key file at the same time have the same key', async () => {
  const folder = temporaryFolder();
  const racer = fileURLToPath(new URL('./keyRacer.ts', import.meta.url));
  const racers = ['a', 'b', 'c'].map(() => {
    const child = spawn(process.execPath, [racer, folder, '100'], { stdio: ['ignore', 'pipe', 'inherit'] });
    return { ready: once(child.stdout, 'readable'), child };
  });
  await Promise.all(racers.map(({ ready }) => ready));
  writeFileSync(join(folder, 'go'), '');
  const printed = await Promise.all(
    racers.map(async ({ child }) => Buffer.concat(await Array.fromAsync(child.stdout)).toString()),
  );
  expect(printed[0]).toMatch(/^ready\n([0-9a-f]{64}\n){100}$/);
  expect(new Set(printed).size).toBe(1);
});

test.each(['', 'secret', 'ab'.repeat(31)])('the file %j is not a key, and stays as it is', (text) => {
  const path = newPath();
  writeFileSync(path, text);
  expect(() => createKeyFile(path)).toThrow(`${path} is not a key: it must contain 64 hexadecimal digits.`);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
