import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableShape } from '../../functions/tables.ts';
import { type TableId, tables } from '../../infra/tables.ts';
import { readWhole } from '../shell/files/readWhole.ts';
import { createFile, makeFolder } from '../shell/files/write.ts';
import { Failure } from '../shell/terminal/failure.ts';

/** Creates a folder, and makes it and its files private, but on Windows. @throws Failure if it is a link */
export function makePrivate(folder: string): void {
  makeFolder(folder);
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);
    else if (entry.isDirectory()) makePrivate(join(folder, entry.name));
  }
}

/** Creates the key file that seals local credentials, unless it exists. @throws Failure if the file is not a key */
export function createKeyFile(path: string): void {
  if (!existsSync(path)) createFile(path, randomBytes(32).toString('hex'));
  if (/^[0-9a-f]{64}$/.test(String(readWhole(path)).trim())) return;
  throw new Failure('usage', `${path} is not a key: it must contain 64 hexadecimal digits.`, {
    advice: 'Restore it from a copy. Without it, no local key can be used: delete .local/ to start with empty data.',
  });
}

const keySchema = ({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
  ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
];

function attributeDefinitions(shape: TableShape) {
  const keys = [shape, ...Object.values(shape.indexes ?? {})].flatMap(({ partitionKey, sortKey = partitionKey }) => [
    partitionKey,
    sortKey,
  ]);
  return [...new Map(keys.map(({ name, type }) => [name, { AttributeName: name, AttributeType: type }])).values()];
}

function createTable(TableName: string, shape: TableShape): CreateTableCommand {
  const indexes = Object.entries(shape.indexes ?? {}).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  }));
  return new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributeDefinitions(shape),
    KeySchema: keySchema(shape),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  });
}

/** Creates the tables that do not exist yet, from the same declarations as the stack. */
export async function createTables(client: DynamoDBClient, names: Record<TableId, string>): Promise<void> {
  for (const id of Object.keys(tables) as TableId[]) {
    const shape: TableShape = tables[id];
    const TableName = names[id];
    try {
      await client.send(createTable(TableName, shape));
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
      continue;
    }
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    if (shape.timeToLive) {
      const TimeToLiveSpecification = { AttributeName: shape.timeToLive, Enabled: true };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
  }
}
