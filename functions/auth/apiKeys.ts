import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** An API key as stored in the table. A UID may have several. */
export interface ApiKey {
  /** The public name of the key. */
  readonly accessKey: string;
  readonly uid: string;
  /** Only the exact status `active` lets a request in, so that an admin's typo cannot. */
  readonly status: 'active' | 'revoked';
  /** Secret and passphrase, sealed (encrypted and bound to access key and UID). */
  readonly credentials: Uint8Array;
  /**
   * The credentials before the last rotation, accepted until `validUntil` (ISO 8601). After that they only prove old
   * entries.
   */
  readonly previous?: { readonly credentials: Uint8Array; readonly validUntil: string };
  /** The time of issue, ISO 8601. */
  readonly createdAt: string;
  /** The time from which the key is rejected, ISO 8601. Absent: never. */
  readonly expiresAt?: string;
  /** A name for people. */
  readonly label?: string;
  /** The time of the last rotation, ISO 8601. Absent if the key was never rotated. */
  readonly rotatedAt?: string;
  /** The time of the last change, ISO 8601. */
  readonly updatedAt?: string;
  readonly updatedBy?: string;
}

/**
 * The longest partition key that DynamoDB accepts, in bytes. A longer one is an error there instead of a missing item.
 */
const NAME_LIMIT = 2048;

/** The API keys table as the function uses it. */
export type ApiKeys = ReturnType<typeof apiKeysTable>;

/** Returns access to the API keys in a DynamoDB table. @param tableName physical name */
export const apiKeysTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Returns the API key of an access key. The read is strongly consistent: a revocation takes effect on the next
   * request.
   */
  async get(accessKey: string, abortSignal: AbortSignal): Promise<ApiKey | undefined> {
    if (Buffer.byteLength(accessKey) > NAME_LIMIT) return undefined;
    const { Item } = await db.send(new GetCommand({ TableName: tableName, Key: { accessKey }, ConsistentRead: true }), {
      abortSignal,
    });
    return Item as ApiKey | undefined;
  },
});

/**
 * Returns the sealed credentials that a usable key accepts: its current ones, then its previous ones during their grace
 * period. A `validUntil` that is not a date counts as past.
 * @param now milliseconds since 1970
 */
export function acceptedCredentials({ credentials, previous }: ApiKey, now: number): readonly Uint8Array[] {
  return previous && Date.parse(previous.validUntil) > now ? [credentials, previous.credentials] : [credentials];
}

/**
 * Returns true if a key is active and has not expired. An `expiresAt` that is not a date counts as past.
 * @param now milliseconds since 1970
 */
export function isUsable(key: ApiKey, now: number): boolean {
  return key.status === 'active' && (key.expiresAt === undefined || Date.parse(key.expiresAt) > now);
}
