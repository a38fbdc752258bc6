import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Listing } from '../../functions/allowlist/allowlist.ts';

/** The allowlist in a DynamoDB table of this name, as its administration uses it. Not in the function, whose role forbids it. */
export const allowlistEditor = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Every listing, in no order. */
  async *all(): AsyncGenerator<Listing> {
    for await (const { Items = [] } of paginateScan({ client: db }, { TableName: tableName, ConsistentRead: true })) {
      yield* Items as Listing[];
    }
  },

  /**
   * Stores a listing in the place of the one that was seen (undefined: none).
   * @returns whether it is stored; false where somebody changed the listing meanwhile, and nothing was
   */
  async replace(seen: Listing | undefined, next: Listing): Promise<boolean> {
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
