import { randomBytes } from 'node:crypto';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type AllowlistChange, type AllowlistEntry, allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { readTimeout } from '../target/openedTarget.ts';
import { Failure } from '../terminal/failure.ts';
import { putRecorded, type WriteOutcome } from './putRecorded.ts';

/**
 * The maximum number of recorded changes of a UID. The function reads the history with the entry on every upload, so it
 * must stay small.
 */
const HISTORY_LIMIT = 100;

/** Further changes for those that bar a UID, so that a full history never keeps a team in. */
const RESERVED_FOR_BARRING = 20;

/** Returns the history of an entry. The first change of an entry without a history is the entry as it was found. */
const historyOf = ({
  history,
  status,
  team,
  note,
  reason = note,
  updatedAt,
  updatedBy,
}: AllowlistEntry): AllowlistChange[] => [
  ...(history ?? [
    {
      id: newId(),
      // An entry made by hand may lack it.
      to: status ?? '',
      ...(updatedAt && { at: updatedAt }),
      ...(updatedBy && { by: updatedBy }),
      ...(team && { team }),
      ...(reason && { why: reason }),
    },
  ]),
];

const newId = () => randomBytes(8).toString('hex');

/** Returns admin access to the allowlist in a DynamoDB table. The function's role does not allow these calls. */
export const allowlistEditor = (db: DynamoDBDocumentClient, tableName: string) => {
  const editor = {
    /** Reads all entries, in no particular order. */
    async *all(): AsyncGenerator<AllowlistEntry> {
      for await (const { Items = [] } of paginateScan({ client: db }, { TableName: tableName, ConsistentRead: true })) {
        yield* Items as AllowlistEntry[];
      }
    },

    /**
     * Replaces an entry unless somebody changed it since it was read, and appends the change to its history.
     * @param current the entry as it was read; undefined if there was none
     * @param next the new entry, with its author and time
     * @param why the reason, for the history
     * @throws Failure if the history is full; the SDK's error if the write was certainly not applied
     */
    async replace(
      current: AllowlistEntry | undefined,
      next: AllowlistEntry,
      { why }: { why?: string | undefined } = {},
    ): Promise<WriteOutcome> {
      const { uid, status, team, updatedAt, updatedBy } = next;
      const before = current ? historyOf(current) : [];
      if (before.length >= HISTORY_LIMIT + (status === 'approved' ? 0 : RESERVED_FOR_BARRING)) {
        throw new Failure('negative', `The history of UID ${uid} is full: ${before.length} changes.`, {
          advice: `Save it (ailog allowlist show ${uid} --json), then delete its oldest changes from the table by hand.`,
        });
      }
      const change: AllowlistChange = {
        id: newId(),
        to: status,
        ...(updatedAt && { at: updatedAt }),
        ...(updatedBy && { by: updatedBy }),
        ...(current?.status && { from: current.status }),
        ...(team && team !== current?.team && { team }),
        ...(why && { why }),
      };
      return putRecorded<AllowlistEntry>(db, {
        tableName,
        partitionKey: 'uid',
        current,
        next: { ...next, history: [...before, change] },
        attributes: ['status', 'team', 'note', 'reason', 'updatedAt', 'updatedBy'],
      });
    },

    /** Stores an entry, whatever the UID's entry was before. Its history is kept. */
    async put(entry: AllowlistEntry): Promise<void> {
      const current = await allowlistTable(db, tableName).get(entry.uid, readTimeout());
      const written = await editor.replace(current, entry);
      if (written.outcome === 'changed') await editor.put(entry);
      if (written.outcome === 'unknown') throw written.cause;
    },
  };
  return editor;
};
