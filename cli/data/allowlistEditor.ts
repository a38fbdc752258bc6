import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';

/** Returns admin access to the allowlist in a DynamoDB table. The function's role does not allow these calls. */
export const allowlistEditor = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Stores an entry. It overwrites an existing entry of the UID. */
  async put(entry: AllowlistEntry): Promise<void> {
    await db.send(new PutCommand({ TableName: tableName, Item: entry }));
  },

  /** Reads all entries, in no particular order. */
  async *all(): AsyncGenerator<AllowlistEntry> {
    for await (const { Items = [] } of paginateScan({ client: db }, { TableName: tableName, ConsistentRead: true })) {
      yield* Items as AllowlistEntry[];
    }
  },

  /**
   * Replaces an entry unless somebody changed it since it was read.
   * @param current the entry as it was read; undefined if there was none
   * @returns true if the new entry is stored; false if the entry had changed, in which case nothing is written
   */
  async replace(current: AllowlistEntry | undefined, next: AllowlistEntry): Promise<boolean> {
    const condition =
      current === undefined
        ? { ConditionExpression: 'attribute_not_exists(uid)' }
        : current.updatedAt === undefined
          ? { ConditionExpression: 'attribute_exists(uid) AND attribute_not_exists(updatedAt)' }
          : {
              ConditionExpression: 'updatedAt = :current',
              ExpressionAttributeValues: { ':current': current.updatedAt },
            };
    try {
      await db.send(new PutCommand({ TableName: tableName, Item: next, ...condition }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  },
});
