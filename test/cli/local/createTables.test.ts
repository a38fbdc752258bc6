import { randomBytes } from 'node:crypto';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createTables } from '../../../cli/local/createTables.ts';
import { localIdentity, tableNames } from '../../../cli/store/targets/data.ts';
import type { TableShape } from '../../../functions/tables.ts';
import { type TableId, tables } from '../../../infra/tables.ts';

const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT as string, ...localIdentity });
const names = tableNames(`T${randomBytes(6).toString('hex')}-`);
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
