import { randomBytes } from 'node:crypto';
import { type DynamoDBDocumentClient, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type ApiKey, apiKeysTable, type KeyChange } from '../../functions/auth/apiKeys.ts';
import { readTimeout } from '../target/openedTarget.ts';
import { putRecorded, type WriteOutcome } from './putRecorded.ts';

const newId = () => randomBytes(8).toString('hex');

/** Returns admin access to the API keys in a DynamoDB table. The function's role does not allow these calls. */
export const apiKeysEditor = (db: DynamoDBDocumentClient, tableName: string) => {
  const editor = {
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

    /**
     * Replaces a key unless somebody changed it since it was read, and appends the change to its history. Earlier
     * credentials are never dropped.
     * @param current the key as it was read; undefined if it must not exist yet
     * @param next the new key, with its author and time
     * @throws the SDK's error if the write was certainly not applied
     */
    replace(
      current: ApiKey | undefined,
      next: ApiKey,
      { change, why }: { change: KeyChange['change']; why?: string | undefined },
    ): Promise<WriteOutcome> {
      const { status, createdAt, updatedAt = createdAt, updatedBy } = next;
      const earlier = next.earlier ?? current?.earlier;
      const recorded: KeyChange = {
        id: newId(),
        at: updatedAt,
        ...(updatedBy && { by: updatedBy }),
        change,
        ...(current && { from: current.status }),
        to: status,
        ...(why && { why }),
      };
      return putRecorded<ApiKey>(db, {
        tableName,
        partitionKey: 'accessKey',
        current,
        next: { ...next, ...(earlier && { earlier }), history: [...(current?.history ?? []), recorded] },
        attributes: ['uid', 'status', 'credentials', 'expiresAt', 'label', 'updatedAt'],
      });
    },

    /** Stores a key, whatever was stored before. Its history and its earlier credentials are kept. */
    async put(key: ApiKey): Promise<void> {
      const current = await apiKeysTable(db, tableName).get(key.accessKey, readTimeout());
      const written = await editor.replace(current, key, { change: current ? 'edited' : 'issued' });
      if (written.outcome === 'changed') await editor.put(key);
      if (written.outcome === 'unknown') throw written.cause;
    },
  };
  return editor;
};
