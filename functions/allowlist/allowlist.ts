import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** The statuses of a UID. Only `approved` may upload. */
export const STATUSES = ['approved', 'suspended', 'disqualified', 'removed'] as const;

/** One UID on the allowlist. */
export interface AllowlistEntry {
  readonly uid: string;
  /** `removed` stands for no row at all, and keeps who removed it and when. */
  readonly status: (typeof STATUSES)[number];
  readonly team?: string;
  readonly note?: string;
  /** ISO 8601. */
  readonly updatedAt?: string;
  readonly updatedBy?: string;
}

/**
 * Checks whether an allowlist entry lets its UID upload. Only the exact word `approved` does: the table may be edited by hand,
 * and a typo, like a missing entry, must not let anybody in.
 */
export const isApproved = (entry: AllowlistEntry | undefined): boolean => entry?.status === 'approved';

/** The allowlist table as the function uses it. */
export type Allowlist = ReturnType<typeof allowlistTable>;

/** The allowlist in a DynamoDB table of this name. */
export const allowlistTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** The allowlist entry of a UID, strongly consistent: a removal holds from the next request on. */
  async get(uid: string, abortSignal: AbortSignal): Promise<AllowlistEntry | undefined> {
    const { Item } = await db.send(new GetCommand({ TableName: tableName, Key: { uid }, ConsistentRead: true }), {
      abortSignal,
    });
    return Item as AllowlistEntry | undefined;
  },
});
