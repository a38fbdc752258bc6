import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** Sealed credentials that a rotation replaced. They prove the entries that they signed. */
export interface EarlierCredentials {
  readonly credentials: Uint8Array;
  /** The end of their grace period, ISO 8601. Absent: rejected since the rotation. */
  readonly validUntil?: string;
  /** The time of the rotation that replaced them, ISO 8601. */
  readonly replacedAt: string;
}

export interface KeyChange {
  /** Random. Identifies the write, so that its author can recognize it. */
  readonly id: string;
  readonly at: string;
  readonly by?: string;
  readonly change: 'issued' | 'imported' | 'rotated' | 'revoked' | 'edited' | 'restored';
  readonly from?: string;
  readonly to: string;
  readonly why?: string;
}

/** An API key as stored in the table. A UID may have several. */
export interface ApiKey {
  /** `ailog_` and 32 hex digits, or an imported name. */
  readonly accessKey: string;
  readonly uid: string;
  /** Only the exact status `active` lets a request in, so that an admin's typo cannot. */
  readonly status: 'active' | 'revoked';
  /** Secret and passphrase, sealed (encrypted and bound to access key and UID). */
  readonly credentials: Uint8Array;
  /** All credentials before the current ones, oldest first. */
  readonly earlier?: readonly EarlierCredentials[];
  readonly createdAt: string;
  /** The time from which the key is rejected, ISO 8601. Absent: never. */
  readonly expiresAt?: string;
  readonly label?: string;
  /** The time of the last rotation, ISO 8601. Absent if the key was never rotated. */
  readonly rotatedAt?: string;
  readonly updatedAt?: string;
  readonly updatedBy?: string;
  /** All changes, oldest first. Only ever appended to. */
  readonly history?: readonly KeyChange[];
}

/** Returns true if DynamoDB accepts an access key as a partition key. It rejects a read of a longer one. */
export const isPossibleKey = (accessKey: string): boolean => Buffer.byteLength(accessKey) <= 2048;

/** Returns access to the API keys in a DynamoDB table. @param tableName physical name */
export const apiKeysTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** Returns the API key of an access key, strongly consistent: a revocation takes effect on the next request. */
  async get(accessKey: string, abortSignal: AbortSignal): Promise<ApiKey | undefined> {
    if (!isPossibleKey(accessKey)) return undefined;
    const get = new GetCommand({ TableName: tableName, Key: { accessKey }, ConsistentRead: true });
    return (await db.send(get, { abortSignal })).Item as ApiKey | undefined;
  },
});

/** The most earlier credentials that a key accepts: each costs a signature. docs/decisions.md#earlier-credentials */
export const GRACE_LIMIT = 2;

/** Returns the newest earlier credentials in grace, oldest first. A `validUntil` that is not a date counts as past. */
export const credentialsInGrace = ({ earlier = [] }: ApiKey, now: number): readonly EarlierCredentials[] =>
  earlier.filter(({ validUntil = '' }) => Date.parse(validUntil) > now).slice(-GRACE_LIMIT);

/** Returns the sealed credentials that a usable key accepts at a time: its current ones and those in grace. */
export const acceptedCredentials = (key: ApiKey, now: number): readonly Uint8Array[] => [
  key.credentials,
  ...credentialsInGrace(key, now).map(({ credentials }) => credentials),
];

/** Returns true if a key is active and has not expired at a time. An `expiresAt` that is not a date counts as past. */
export function isUsable(key: ApiKey, now: number): boolean {
  return key.status === 'active' && (key.expiresAt === undefined || Date.parse(key.expiresAt) > now);
}
