import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';

/** The allowlist in a DynamoDB table of this name, as admins use it. The function's role forbids these calls. */
export const allowlistEditor = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Stores an entry, in place of an earlier one of its UID. */
  async put(entry: AllowlistEntry): Promise<void> {
    await db.send(new PutCommand({ TableName: tableName, Item: entry }));
  },

  /** Reads every entry, in no order. */
  async *all(): AsyncGenerator<AllowlistEntry> {
    for await (const { Items = [] } of paginateScan({ client: db }, { TableName: tableName, ConsistentRead: true })) {
      yield* Items as AllowlistEntry[];
    }
  },

  /**
   * Stores an allowlist entry in the place of the one that was seen (undefined: none).
   * @returns whether it is stored; false where somebody changed the allowlist entry meanwhile, and nothing was
   */
  async replace(seen: AllowlistEntry | undefined, next: AllowlistEntry): Promise<boolean> {
    const condition =
      seen === undefined
        ? { ConditionExpression: 'attribute_not_exists(uid)' }
        : seen.updatedAt === undefined
          ? { ConditionExpression: 'attribute_exists(uid) AND attribute_not_exists(updatedAt)' }
          : { ConditionExpression: 'updatedAt = :seen', ExpressionAttributeValues: { ':seen': seen.updatedAt } };
    try {
      await db.send(new PutCommand({ TableName: tableName, Item: next, ...condition }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  },
});
