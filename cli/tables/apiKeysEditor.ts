import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { type ApiKey, apiKeysTable, type KeyChange } from '../../functions/auth/apiKeys.ts';
import type { Target } from '../target/target.ts';
import { newId, recordedTable } from './recordedTable.ts';

type About = Pick<KeyChange, 'change'> & { readonly why: string | undefined };

/** Returns a key with its change appended to its history. Earlier credentials are never dropped. */
function recordChange(
  current: ApiKey | undefined,
  next: ApiKey,
  { change = current ? 'edited' : 'issued', why }: Partial<About>,
): ApiKey {
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
  return { ...next, ...(earlier && { earlier }), history: [...(current?.history ?? []), recorded] };
}

/** Returns admin access to the API keys. */
export const apiKeysEditor = ({ db, tables }: Pick<Target, 'db' | 'tables'>) => ({
  ...recordedTable<ApiKey, About>(db, tables.apiKeys, {
    read: apiKeysTable(db, tables.apiKeys).get,
    partitionKey: 'accessKey',
    attributes: ['uid', 'status', 'credentials', 'expiresAt', 'label', 'updatedAt'],
    record: recordChange,
  }),

  /** Reads the access keys of a UID. It queries an index, so a key that was just issued may still be missing. */
  async *namesOf(uid: string): AsyncGenerator<string> {
    const query = {
      TableName: tables.apiKeys,
      IndexName: 'byUid',
      KeyConditionExpression: 'uid = :uid',
      ExpressionAttributeValues: { ':uid': uid },
    };
    for await (const { Items = [] } of paginateQuery({ client: db }, query)) {
      for (const { accessKey } of Items) yield accessKey;
    }
  },
});
