import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';

/** What the allowlist can say about a UID. Only the first lets it in. */
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

  /** Stores an allowlist entry, in the place of the UID's earlier one. For administration: the function itself has no right to. */
  async put(entry: AllowlistEntry): Promise<void> {
    await db.send(new PutCommand({ TableName: tableName, Item: entry }));
  },
});
