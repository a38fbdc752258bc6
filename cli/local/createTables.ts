import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableShape } from '../../functions/tables.ts';
import { type TableId, tables } from '../../infra/tables.ts';

const keySchema = ({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
  ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
];

/** Returns the key attributes of a table and its indexes with their types. */
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
