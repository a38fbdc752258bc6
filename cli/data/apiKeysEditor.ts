import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';

/** Returns admin access to the API keys in a DynamoDB table. The function's role does not allow these calls. */
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
    /** Reads all keys, in no particular order. */
    async *all(): AsyncGenerator<ApiKey> {
      for await (const { Items = [] } of paginateScan({ client: db }, { TableName: tableName, ConsistentRead: true })) {
        yield* Items as ApiKey[];
      }
    },

    /** Reads the access keys of a UID. It queries an index, so a key that was just issued may still be missing. */
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

    /** Stores a key. It overwrites an existing key with the same access key. */
    async put(key: ApiKey): Promise<void> {
      await db.send(new PutCommand({ TableName: tableName, Item: key }));
    },

    /** Stores a new key. @returns false if the access key exists already, in which case nothing is written */
    create: (key: ApiKey) => putIf(key, { ConditionExpression: 'attribute_not_exists(accessKey)' }),

    /**
     * Replaces a key unless somebody changed its status or its credentials since it was read.
     * @param current the key as it was read
     * @returns false if the key had changed, in which case nothing is written
     */
    replace: (current: ApiKey, next: ApiKey) =>
      putIf(next, {
        ConditionExpression: '#status = :status AND credentials = :credentials',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': current.status, ':credentials': current.credentials },
      }),
  };
};
