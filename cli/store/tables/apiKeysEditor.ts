import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import {
  type ApiKey,
  apiKeysTable,
  credentialsInGrace,
  isUsable,
  type KeyChange,
} from '../../../functions/auth/apiKeys.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../targets/target.ts';
import { failWrite, newId, recordedTable } from './recordedTable.ts';

type About = Pick<KeyChange, 'id' | 'change'> & { readonly why: string | undefined };

/** Returns a key with its change appended to its history. Earlier credentials are never dropped. */
function recordChange(
  current: ApiKey | undefined,
  next: ApiKey,
  { id = newId(), change = current ? 'edited' : 'issued', why }: Partial<About>,
): ApiKey {
  const { status, createdAt, updatedAt = createdAt, updatedBy } = next;
  const earlier = next.earlier ?? current?.earlier;
  const recorded: KeyChange = {
    id,
    at: updatedAt,
    ...(updatedBy && { by: updatedBy }),
    change,
    ...(current && { from: current.status }),
    to: status,
    ...(why && { why }),
  };
  return { ...next, ...(earlier && { earlier }), history: [...(current?.history ?? []), recorded] };
}

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

/** Describes a key for JSON, without its credentials. @param now milliseconds since 1970 */
export function describeKey(key: ApiKey, now: number) {
  const { accessKey, uid, label, createdAt, expiresAt, rotatedAt, updatedAt, updatedBy, status } = key;
  const inGrace = credentialsInGrace(key, now).map(({ validUntil = '' }) => validUntil);
  return {
    uid,
    accessKey,
    status: status === 'active' && !isUsable(key, now) ? ('expired' as const) : status,
    label,
    createdAt,
    expiresAt,
    rotatedAt,
    oldValidUntil: inGrace.sort().at(-1),
    updatedAt: updatedAt ?? createdAt,
    updatedBy,
  };
}

/** Reads a key. @throws Failure if it does not exist */
export async function readKey(target: Target, accessKey: string): Promise<ApiKey> {
  const key = await apiKeysEditor(target).get(accessKey);
  if (key) return key;
  throw new Failure('negative', `There is no key ${accessKey}.`, { advice: 'ailog keys list shows all keys.' });
}

/** Creates the failure for a change of a key. @param advice what to do if the answer was lost */
export const failChange = (accessKey: string, outcome: 'changed' | 'unknown', advice: string): Failure =>
  failWrite(`key ${accessKey}`, outcome, {
    changed: `Check it with ailog keys list ${accessKey}, and run the command again.`,
    unknown: advice,
  });
