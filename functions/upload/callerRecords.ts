import { setTimeout as sleep } from 'node:timers/promises';
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, type BatchGetCommandOutput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AllowlistEntry } from '../allowlist/allowlist.ts';
import { type ApiKey, isPossibleKey } from '../auth/apiKeys.ts';

/** An API key and an allowlist entry. Each is undefined if it does not exist. */
export interface CallerRecords {
  readonly apiKey: ApiKey | undefined;
  readonly allowlistEntry: AllowlistEntry | undefined;
}

/** The API keys and the allowlist as the function reads them: together. */
export type ReadCallerRecords = ReturnType<typeof callerRecordsReader>;

/** The maximum number of calls for the records of a request. The SDK makes as many attempts for a call that fails. */
const CALLS = 3;

/** The longest pause before the second call, in milliseconds. It doubles before the third. */
const PAUSE_MS = 50;

/**
 * Returns a function that reads an API key and an allowlist entry with one call, because two calls take more CPU. The
 * reads are strongly consistent: a revocation or a removal takes effect on the next request.
 *
 * A call succeeds even if DynamoDB could read only one of the two items, because a table was throttled. The other item
 * is then read again after a pause: without it, a team would be rejected as unknown.
 * @param tables physical names
 * @throws ProvisionedThroughputExceededException if an item could not be read in any call
 */
export const callerRecordsReader =
  (db: DynamoDBDocumentClient, tables: Readonly<Record<'apiKeys' | 'allowlist', string>>) =>
  async (accessKey: string, uid: string, abortSignal: AbortSignal): Promise<CallerRecords> => {
    const items: Record<string, unknown> = {};
    let unread: BatchGetCommandOutput['UnprocessedKeys'] = {
      ...(isPossibleKey(accessKey) && { [tables.apiKeys]: { Keys: [{ accessKey }], ConsistentRead: true } }),
      [tables.allowlist]: { Keys: [{ uid }], ConsistentRead: true },
    };
    for (let call = 1; ; call += 1) {
      const answer: BatchGetCommandOutput = await db.send(new BatchGetCommand({ RequestItems: unread }), {
        abortSignal,
      });
      for (const [table, [item]] of Object.entries(answer.Responses ?? {})) items[table] ??= item;
      unread = answer.UnprocessedKeys ?? {};
      const names = Object.keys(unread);
      if (names.length === 0) break;
      if (call === CALLS) {
        throw new ProvisionedThroughputExceededException({
          message: `DynamoDB could not read from ${names.join(' and ')} in ${CALLS} calls`,
          $metadata: {},
        });
      }
      await sleep(Math.random() * PAUSE_MS * 2 ** (call - 1), undefined, { signal: abortSignal });
    }
    return {
      apiKey: items[tables.apiKeys] as ApiKey | undefined,
      allowlistEntry: items[tables.allowlist] as AllowlistEntry | undefined,
    };
  };
