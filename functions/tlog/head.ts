import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { EMPTY_ROOT } from '../c2sp/hashing.ts';
import type { Head } from './tlogTable.ts';

const HOUR_MS = 3_600_000;

/** The number of marks that the head keeps. The hourly reconciliation needs fewer. */
const MARKS_KEPT = 24;

/** The attributes of the head that its writer chooses. The others follow from the head before. */
export type HeadChange = Partial<Omit<Head, 'id' | 'version' | 'claim' | 'writtenAt' | 'marks'>>;

/** Returns the head of a log without leaves. @param now milliseconds since 1970 */
export const firstHead = (now: number, cursor: number): Head => ({
  id: 'head',
  version: 1,
  claim: randomUUID(),
  writtenAt: now,
  size: 0,
  root: EMPTY_ROOT,
  fromSize: 0,
  fromRoot: EMPTY_ROOT,
  cursor,
  keys: [],
  marks: [{ cursor, size: 0 }],
  hourly: { begunAt: 0, doneAt: 0 },
  daily: { begunAt: 0, doneAt: 0 },
});

/** Returns the head that follows another one. @param now milliseconds since 1970 */
export function nextHead(head: Head, now: number, change: HeadChange): Head {
  const cursor = change.cursor ?? head.cursor;
  const entersHour = Math.floor(cursor / HOUR_MS) !== Math.floor(head.cursor / HOUR_MS);
  // Entries that are received from the old cursor on come after the old size.
  const mark = { cursor: head.cursor, size: head.size };
  return {
    ...head,
    ...change,
    version: head.version + 1,
    claim: randomUUID(),
    // The clocks of two machines may differ a little; this time never goes back.
    writtenAt: Math.max(now, head.writtenAt),
    marks: entersHour ? [...head.marks, mark].slice(-MARKS_KEPT) : head.marks,
  };
}

/** Returns the head in the Tlog table of this name. docs/decisions/head-and-tiles.md says why it is there. */
export const headTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Returns the head, strongly consistent; undefined before the first one. */
  async get(abortSignal: AbortSignal): Promise<Head | undefined> {
    const command = new GetCommand({ TableName: tableName, Key: { id: 'head' }, ConsistentRead: true });
    return (await db.send(command, { abortSignal })).Item as Head | undefined;
  },

  /**
   * Writes the head that follows the one that was read: its version is one more.
   * @returns false if another sequencer was first; then nothing is written
   */
  async claim(head: Head, abortSignal: AbortSignal): Promise<boolean> {
    const first = head.version === 1;
    try {
      await db.send(
        new PutCommand({
          TableName: tableName,
          Item: head,
          ConditionExpression: first ? 'attribute_not_exists(id)' : 'version = :before',
          ...(!first && { ExpressionAttributeValues: { ':before': head.version - 1 } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
        { abortSignal },
      );
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The SDK repeats a call whose response was lost: then the head in the table is this one.
      return error.Item?.claim?.S === head.claim;
    }
  },
});
