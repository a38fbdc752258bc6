import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';

/** The API keys in a DynamoDB table of this name, as their administration uses them. Not in the function. */
export const apiKeysEditor = (db: DynamoDBDocumentClient, tableName: string) => {
  const putIf = async (item: ApiKey, condition: Omit<PutCommand['input'], 'TableName' | 'Item'>): Promise<boolean> => {
    try {
      await db.send(new PutCommand({ TableName: tableName, Item: item, ...condition }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };
  return {
    /** Every key, in no order. */
    async *all(): AsyncGenerator<ApiKey> {
      for await (const { Items = [] } of paginateScan({ client: db }, { TableName: tableName, ConsistentRead: true })) {
        yield* Items as ApiKey[];
      }
    },

    /** The names of a UID's keys. An index finds them, so that one issued this second may still be missing. */
    async *namesOf(uid: string): AsyncGenerator<string> {
      const query = {
        TableName: tableName,
        IndexName: 'byUid',
        KeyConditionExpression: 'uid = :uid',
        ExpressionAttributeValues: { ':uid': uid },
      };
      for await (const { Items = [] } of paginateQuery({ client: db }, query)) {
        for (const { accessKey } of Items) yield accessKey;
      }
    },

    /** Stores a key, in place of an earlier one with its access key. */
    async put(key: ApiKey): Promise<void> {
      await db.send(new PutCommand({ TableName: tableName, Item: key }));
    },

    /** Stores a new key. @returns false where one of that name exists, and nothing was changed */
    create: (key: ApiKey) => putIf(key, { ConditionExpression: 'attribute_not_exists(accessKey)' }),

    /**
     * Stores a key in the place of the one that was seen.
     * @returns false where somebody changed its status or its credentials meanwhile, and nothing was changed
     */
    replace: (seen: ApiKey, next: ApiKey) =>
      putIf(next, {
        ConditionExpression: '#status = :status AND credentials = :credentials',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': seen.status, ':credentials': seen.credentials },
      }),
  };
};
