import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Entry } from './entry.ts';

/** The AI logs table as the function uses it. */
export type Entries = ReturnType<typeof entriesTable>;

/** Returns access to the AI logs in a DynamoDB table. @param tableName physical name */
export const entriesTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Stores an entry unless its id exists already. When this returns, the entry is durably stored: by this call
   * (`stored`) or by an earlier one for the same request (`duplicate`). When it throws, the entry may or may not be
   * stored. The caller can safely send the same request again.
   */
  async put(entry: Entry, abortSignal: AbortSignal): Promise<'stored' | 'duplicate'> {
    try {
      await db.send(
        new PutCommand({ TableName: tableName, Item: entry, ConditionExpression: 'attribute_not_exists(entryId)' }),
        { abortSignal },
      );
      return 'stored';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'duplicate';
      throw error;
    }
  },
});
