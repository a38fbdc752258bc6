import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Head } from '../tlog/tlogTable.ts';

/** Reads and claims the head of the log. */
export type Heads = ReturnType<typeof headTable>;

/** Returns the head in the Tlog table of this name. docs/decisions/head-and-tiles.md says why it is there. */
export const headTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Returns the head, strongly consistent; undefined before the first one. */
  async get(abortSignal: AbortSignal): Promise<Head | undefined> {
    const command = new GetCommand({ TableName: tableName, Key: { id: 'head' }, ConsistentRead: true });
    return (await db.send(command, { abortSignal })).Item as Head | undefined;
  },

  /**
   * Writes the head that follows the one that was read: its version is one more.
   * @returns false if another sequencer was first; then nothing is written
   */
  async claim(head: Head, abortSignal: AbortSignal): Promise<boolean> {
    const first = head.version === 1;
    try {
      await db.send(
        new PutCommand({
          TableName: tableName,
          Item: head,
          ConditionExpression: first ? 'attribute_not_exists(id)' : 'version = :before',
          ...(!first && { ExpressionAttributeValues: { ':before': head.version - 1 } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
        { abortSignal },
      );
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The SDK repeats a call whose response was lost: then the head in the table is this one.
      return error.Item?.claim?.S === head.claim;
    }
  },
});
