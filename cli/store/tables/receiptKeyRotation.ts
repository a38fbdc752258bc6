import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import type { ReceiptKeys, RotationRequest } from '../../../functions/tlog/tlogTable.ts';
import { readTimeout } from '../targets/openedTarget.ts';
import type { WriteOutcome } from './recordedTable.ts';

/** Returns the change that requests a rotation, or sets when one under way starts. Two names are reserved words. */
function changeOf({ current, requested, next }: ReceiptKeys, request: RotationRequest) {
  if (next) {
    return {
      UpdateExpression: 'SET #next.startsAt = :startsAt',
      ConditionExpression: '#next.verifierKey = :key AND #next.startsAt = :before',
      ExpressionAttributeNames: { '#next': 'next' },
      ExpressionAttributeValues: { ':startsAt': request.startsAt, ':key': next.verifierKey, ':before': next.startsAt },
    };
  }
  const unchanged = requested ? 'requested.id = :id' : 'attribute_not_exists(requested)';
  return {
    UpdateExpression: 'SET requested = :request',
    ConditionExpression: `#current.verifierKey = :key AND attribute_not_exists(#next) AND ${unchanged}`,
    ExpressionAttributeNames: { '#current': 'current', '#next': 'next' },
    ExpressionAttributeValues: {
      ':request': request,
      ':key': current.verifierKey,
      ...(requested && { ':id': requested.id }),
    },
  };
}

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
 * Requests that the sequencer replaces the receipt key, unless somebody changed the keys since they were read. After
 * any doubtful answer this reads the keys back, like `recordedTable`.
 * @param read the keys as they were read. If a rotation is under way, only the time at which its key starts is changed
 * @param startsAt the time from which the new key signs, in milliseconds since 1970
 */
export async function requestRotation(
  db: DynamoDBDocumentClient,
  tableName: string,
  { read, at, by, startsAt }: { read: ReceiptKeys; at: number; by: string; startsAt: number },
): Promise<WriteOutcome> {
  const request: RotationRequest = { id: randomUUID(), at: new Date(at).toISOString(), by, startsAt };
  try {
    await db.send(new UpdateCommand({ TableName: tableName, Key: { id: read.id }, ...changeOf(read, request) }));
    return { outcome: 'stored' };
  } catch (cause) {
    const found = await readReceiptKeys(db, tableName, readTimeout()).catch(() => undefined);
    if (shows(found, read, request)) return { outcome: 'stored' };
    if (cause instanceof ConditionalCheckFailedException) return { outcome: 'changed' };
    return { outcome: 'unknown', cause };
  }
}
