import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ReceiptKeys, RotationRequest } from '../../functions/tlog/tlogTable.ts';
import { readTimeout } from '../target/openedTarget.ts';

/** The result of a request. `changed`: the keys are no longer as they were read, and nothing was written. */
export type RequestOutcome =
  | { readonly outcome: 'stored' | 'changed' }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

const Key = { id: 'receipt-keys' };

/** Reads the receipt keys. @returns undefined before the first run of the sequencer */
export async function readReceiptKeys(db: DynamoDBDocumentClient, tableName: string): Promise<ReceiptKeys | undefined> {
  const get = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
  return (await db.send(get, { abortSignal: readTimeout() })).Item as ReceiptKeys | undefined;
}

/** Returns the change that requests a rotation, or that lets one that is under way start at another time. */
function changeOf(
  { current, requested, next }: ReceiptKeys,
  request: RotationRequest,
): Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'> {
  if (next) {
    return {
      UpdateExpression: 'SET #next.#startsAt = :startsAt',
      ConditionExpression: '#next.#verifierKey = :key AND #next.#startsAt = :before',
      ExpressionAttributeValues: {
        ':startsAt': request.startsAt,
        ':key': next.verifierKey,
        ':before': next.startsAt,
      },
    };
  }
  return {
    UpdateExpression: 'SET #requested = :request',
    ConditionExpression: `#current.#verifierKey = :key AND attribute_not_exists(#next) AND ${requested ? '#requested.#id = :id' : 'attribute_not_exists(#requested)'}`,
    ExpressionAttributeValues: {
      ':request': request,
      ':key': current.verifierKey,
      ...(requested && { ':id': requested.id }),
    },
  };
}

const NAMES = {
  '#current': 'current',
  '#next': 'next',
  '#requested': 'requested',
  '#verifierKey': 'verifierKey',
  '#startsAt': 'startsAt',
  '#id': 'id',
};

/** Returns true if the keys show that a request was stored, and perhaps carried out since. */
function shows(keys: ReceiptKeys | undefined, read: ReceiptKeys, request: RotationRequest): boolean {
  if (!keys) return false;
  if (read.next) {
    const started = keys.current.verifierKey === read.next.verifierKey;
    return started || keys.next?.startsAt === request.startsAt;
  }
  // The sequencer carries out a request within a minute.
  return keys.requested?.id === request.id || (keys.next ?? keys.current).requestId === request.id;
}

/**
 * Requests that the sequencer replaces the receipt key, unless somebody changed the keys since they were read. The SDK
 * repeats a write whose answer is lost, and the repetition then fails on the write itself. So after any doubtful answer
 * this reads the keys back.
 * @param read the keys as they were read. If a rotation is under way, only the time at which its key starts is changed.
 * @param startsAt the time from which the new key signs, in milliseconds since 1970
 */
export async function requestRotation(
  db: DynamoDBDocumentClient,
  tableName: string,
  { read, at, by, startsAt }: { read: ReceiptKeys; at: number; by: string; startsAt: number },
): Promise<RequestOutcome> {
  const request: RotationRequest = { id: randomUUID(), at: new Date(at).toISOString(), by, startsAt };
  const change = changeOf(read, request);
  const used = Object.entries(NAMES).filter(([name]) =>
    `${change.UpdateExpression} ${change.ConditionExpression}`.includes(name),
  );
  try {
    await db.send(
      new UpdateCommand({ TableName: tableName, Key, ExpressionAttributeNames: Object.fromEntries(used), ...change }),
    );
    return { outcome: 'stored' };
  } catch (cause) {
    const found = await readReceiptKeys(db, tableName).catch(() => undefined);
    if (shows(found, read, request)) return { outcome: 'stored' };
    if (cause instanceof ConditionalCheckFailedException) return { outcome: 'changed' };
    return { outcome: 'unknown', cause };
  }
}
