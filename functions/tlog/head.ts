import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { EMPTY_ROOT } from '../c2sp/hashing.ts';
import type { Head, Mark } from './tlogTable.ts';

const MARK_MS = 10 * 60_000;

/** The time for which marks are kept at least. */
const MARKS_KEPT_MS = 3 * 24 * 3_600_000;

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
  // The index shows everything that is older than the log.
  looked: now,
  keys: [],
  marks: [{ cursor, size: 0 }],
});

/** Returns the last mark at or before a time; undefined if the log has none that old. */
export const markBefore = (marks: Head['marks'], time: number): Mark | undefined =>
  marks.findLast(({ cursor }) => cursor <= time);

/** Returns the head that follows another one. @param now milliseconds since 1970 */
export function nextHead(head: Head, now: number, change: HeadChange): Head {
  const { readAgainFrom, ...next } = { ...head, ...change };
  const again = readAgainFrom !== undefined && readAgainFrom < next.cursor ? { readAgainFrom } : undefined;
  const entersSlot = Math.floor(next.cursor / MARK_MS) !== Math.floor(head.cursor / MARK_MS);
  // Entries that are received from the old cursor on come after the old size, and the others before it.
  // What is read again comes after the marks that were made meanwhile. The oldest one stays, as a place to begin at.
  const past = again ? head.marks.filter(({ cursor }, at) => at === 0 || cursor <= again.readAgainFrom) : head.marks;
  const marks = entersSlot ? [...past, { cursor: head.cursor, size: head.size }] : past;
  const oldest = markBefore(marks, Math.min(next.cursor - MARKS_KEPT_MS, next.looked))?.cursor ?? 0;
  return {
    ...next,
    ...again,
    version: head.version + 1,
    claim: randomUUID(),
    // The clocks of two machines may differ a little; this time never goes back.
    writtenAt: Math.max(now, head.writtenAt),
    marks: entersSlot ? marks.filter(({ cursor }) => cursor >= oldest) : marks,
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
