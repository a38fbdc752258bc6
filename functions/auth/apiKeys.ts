import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** An API key as the table holds it. A UID may hold several. */
export interface ApiKey {
  /** Its public name. */
  readonly accessKey: string;
  readonly uid: string;
  /** Only `active` lets a request in, so that a typo of an admin does not. */
  readonly status: 'active' | 'revoked';
  /** Secret and passphrase, sealed by the credential store. */
  readonly credentials: Uint8Array;
  /** The credentials before these: until then (ISO 8601) they still let a request in, later they only prove old entries. */
  readonly previous?: { readonly credentials: Uint8Array; readonly validUntil: string };
  /** When it was issued, ISO 8601. */
  readonly createdAt: string;
  /** From when on it is rejected, ISO 8601; absent: never. */
  readonly expiresAt?: string;
  /** What its holder calls it. */
  readonly label?: string;
  /** When it got its present credentials, ISO 8601; absent: when it was issued. */
  readonly rotatedAt?: string;
  /** The last change to it, ISO 8601, and who made it. */
  readonly updatedAt?: string;
  readonly updatedBy?: string;
}

/** The longest partition key that DynamoDB takes, in bytes: it has an error for a longer one, not the answer that there is none. */
const NAME_LIMIT = 2048;

/** The API keys table as the function uses it. */
export type ApiKeys = ReturnType<typeof apiKeysTable>;

/** The API keys in a DynamoDB table of this name. */
export const apiKeysTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /** The key of that name, strongly consistent: a revocation holds from the next request on. */
  async get(accessKey: string, abortSignal: AbortSignal): Promise<ApiKey | undefined> {
    if (Buffer.byteLength(accessKey) > NAME_LIMIT) return undefined;
    const { Item } = await db.send(new GetCommand({ TableName: tableName, Key: { accessKey }, ConsistentRead: true }), {
      abortSignal,
    });
    return Item as ApiKey | undefined;
  },
});

/**
 * The sealed credentials that let a request of a usable key in at a time (ms since 1970): its own first, then those that
 * it had before, in their time of grace. A `validUntil` that is not a date counts as past.
 */
export function acceptedCredentials({ credentials, previous }: ApiKey, now: number): readonly Uint8Array[] {
  return previous && Date.parse(previous.validUntil) > now ? [credentials, previous.credentials] : [credentials];
}

/** Whether a key may be used at a time (ms since 1970). An `expiresAt` that is not a date counts as past. */
export function isUsable(key: ApiKey, now: number): boolean {
  return key.status === 'active' && (key.expiresAt === undefined || Date.parse(key.expiresAt) > now);
}
