import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Head } from '../../functions/tlog/tlogTable.ts';

/**
 * Makes the sequencer compare the whole table with the log again. The demo's entries were received, as they say, before
 * the log existed, and have no arrival keys. Without a log, there is nothing to do: its first run adds them.
 */
export async function requestBackfill(db: DynamoDBDocumentClient, logTable: string): Promise<void> {
  const { daily }: Pick<Head, 'daily'> = { daily: { begunAt: 0, doneAt: 0 } };
  const command = new UpdateCommand({
    TableName: logTable,
    Key: { id: 'head' },
    // A sequencer at work loses its claim, and reads the head again.
    UpdateExpression: 'SET daily = :never, version = version + :one',
    ConditionExpression: 'attribute_exists(id)',
    ExpressionAttributeValues: { ':never': daily, ':one': 1 },
  });
  await db.send(command).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
