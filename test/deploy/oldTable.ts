import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { composeEntry } from '../../functions/ailog/entry.ts';

const HOUR = 3_600_000;

const attribute = (AttributeName: string, AttributeType: 'S' | 'N') => ({ AttributeName, AttributeType });

/** Returns an entry as version 0.1 stored it. */
function oldEntry(index: number, receivedAt: number) {
  const log = { stage: 's', model: 'm', input: {}, output: { index }, explanation: 'e' };
  const received = {
    uid: String(100 + (index % 7)),
    receivedAt,
    accessKey: 'ailog_old',
    timestamp: String(receivedAt),
    signature: `signature ${index}`,
    query: '',
    locale: 'en-US',
    sourceIp: '192.0.2.1',
    rawBody: Buffer.from(JSON.stringify(log)),
  };
  return { ...composeEntry(log, received), explanation: log.explanation };
}

/** Creates a table of AI logs as version 0.1 did, without the index by arrival, with entries of the last days. */
export async function createOldTable(client: DynamoDBClient, TableName: string, count: number): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [attribute('uid', 'S'), attribute('entryId', 'S'), attribute('orderId', 'N')],
      KeySchema: [
        { AttributeName: 'uid', KeyType: 'HASH' },
        { AttributeName: 'entryId', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byOrderId',
          KeySchema: [{ AttributeName: 'orderId', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
  const now = Date.now();
  const entries = Array.from({ length: count }, (_, index) =>
    oldEntry(index, now - ((index * 7919) % count) * (HOUR / 4) - HOUR),
  );
  const db = DynamoDBDocumentClient.from(client);
  for (let start = 0; start < count; start += 25) {
    const requests = entries.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await db.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
}
