import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type AllowlistEntry, allowlistTable } from '../allowlist/allowlist.ts';
import { type ApiKey, apiKeysTable, isPossibleKey } from '../auth/apiKeys.ts';

/**
 * Creates a reader of an API key and its owner's allowlist entry, strongly consistent: a revocation or a removal takes
 * effect on the next request. If the owner is known, it makes one call (docs/decisions.md#one-read). That succeeds even
 * if DynamoDB could read only one of the items: the other is read again on its own, with the retries and errors of any
 * call, because a team would be rejected without it.
 */
export const callerRecordsReader = (
  db: DynamoDBDocumentClient,
  tables: Readonly<Record<'apiKeys' | 'allowlist', string>>,
) => {
  const apiKeys = apiKeysTable(db, tables.apiKeys);
  const allowlist = allowlistTable(db, tables.allowlist);
  /** @param uid the owner of the key; undefined if it is not known yet: then only the key is read */
  return async (accessKey: string, uid: string | undefined, abortSignal: AbortSignal) => {
    if (uid === undefined || !isPossibleKey(accessKey)) {
      return { apiKey: await apiKeys.get(accessKey, abortSignal), allowlistEntry: undefined };
    }
    const { Responses = {}, UnprocessedKeys = {} } = await db.send(
      new BatchGetCommand({
        RequestItems: {
          [tables.apiKeys]: { Keys: [{ accessKey }], ConsistentRead: true },
          [tables.allowlist]: { Keys: [{ uid }], ConsistentRead: true },
        },
      }),
      { abortSignal },
    );
    const [apiKey, allowlistEntry] = await Promise.all([
      tables.apiKeys in UnprocessedKeys
        ? apiKeys.get(accessKey, abortSignal)
        : (Responses[tables.apiKeys]?.[0] as ApiKey | undefined),
      tables.allowlist in UnprocessedKeys
        ? allowlist.get(uid, abortSignal)
        : (Responses[tables.allowlist]?.[0] as AllowlistEntry | undefined),
    ]);
    return { apiKey, allowlistEntry };
  };
};
