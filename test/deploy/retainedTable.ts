import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTables } from '../../cli/local/localData.ts';
import { tableNames } from '../../cli/store/targets/data.ts';
import { composeEntry } from '../../functions/ailog/entry.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { shortLog } from '../../infra/openapi/exampleLog.ts';

/** Returns an entry as the upload function stored it. */
function retainedEntry(index: number, receivedAt: number) {
  const log = { ...shortLog, output: { index } };
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
  const entry = composeEntry(log, received);
  return { ...entry, ...arrivalKeys(entry) };
}

/**
 * Creates the tables that a deleted stack leaves. Their entries follow the creation of the table, one in each
 * millisecond, and are not stored in that order.
 * @returns the name of the table of AI logs
 */
export async function createRetainedTable(client: DynamoDBClient, count: number): Promise<string> {
  const names = tableNames('Retained-');
  await createTables(client, names);
  const created = Date.now();
  const entries = Array.from({ length: count }, (_, index) => retainedEntry(index, created + ((index * 7919) % count)));
  const db = DynamoDBDocumentClient.from(client);
  for (let start = 0; start < count; start += 25) {
    const requests = entries.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await db.send(new BatchWriteCommand({ RequestItems: { [names.aiLogs]: requests } }));
  }
  return names.aiLogs;
}
