import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { apiError } from '../errors.ts';

/** The statuses of a UID. Only an `approved` UID may upload. */
export const STATUSES = ['approved', 'suspended', 'disqualified', 'removed'] as const;

export interface AllowlistChange {
  /** Random. Identifies the write, so that its author can recognize it. */
  readonly id: string;
  /** ISO 8601. Absent if the entry did not record it. */
  readonly at?: string;
  readonly by?: string;
  readonly from?: string;
  readonly to: string;
  readonly team?: string;
  readonly why?: string;
}

export interface AllowlistEntry {
  readonly uid: string;
  /** `removed` has the same effect as a missing row, but records who removed the UID and when. */
  readonly status: (typeof STATUSES)[number];
  readonly team?: string;
  readonly note?: string;
  /** The reason for its status. Absent if it is approved. */
  readonly reason?: string;
  readonly updatedAt?: string;
  readonly updatedBy?: string;
  /** All changes, oldest first. Only ever appended to. */
  readonly history?: readonly AllowlistChange[];
}

/**
 * Checks that a UID has exactly the status approved: admins may edit the table by hand. @throws ApiError 40022 that
 * tells suspended and disqualified from not listed. It quotes no note, reason or unknown status.
 */
export function requireApproved(uid: string, entry: AllowlistEntry | undefined): void {
  if (entry?.status === 'approved') return;
  if (entry === undefined || entry.status === 'removed') throw apiError('uidNotListed', { uid });
  const isTold = entry.status === 'suspended' || entry.status === 'disqualified';
  throw apiError('uidNotApproved', { uid, status: isTold ? entry.status : 'not approved' });
}

/** Returns access to the allowlist in a DynamoDB table. @param tableName physical name */
export const allowlistTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Returns the entry of a UID, strongly consistent: a removal takes effect on the next request. */
  async get(uid: string, abortSignal: AbortSignal): Promise<AllowlistEntry | undefined> {
    const get = new GetCommand({ TableName: tableName, Key: { uid }, ConsistentRead: true });
    return (await db.send(get, { abortSignal })).Item as AllowlistEntry | undefined;
  },
});
