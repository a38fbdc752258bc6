import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Entry } from './entry.ts';

/** The AI logs table as the function uses it. */
export type Entries = ReturnType<typeof entriesTable>;

/** The entries in a DynamoDB table of this name. */
export const entriesTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Stores an entry that is not there yet. When this returns, an entry of that name is durably stored, be it by this call
   * (`stored`) or by an earlier one for the same request (`duplicate`). When it throws, it may or may not be: sending the
   * same request again is safe and tells.
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
