import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { isPartitionThrottled } from '../dependencyFailure.ts';
import type { Entry } from './entry.ts';

/** Returns a list to which the errors of a command's attempts are added. The SDK itself throws only the last one. */
function recordFailures(command: PutCommand): unknown[] {
  const failures: unknown[] = [];
  command.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error) => {
        failures.push(error);
        throw error;
      }),
    // Inside the middleware that retries, so that it sees each attempt. `override`: lib-dynamodb adds it twice.
    { step: 'finalizeRequest', priority: 'low', name: 'recordFailures', override: true },
  );
  return failures;
}

/** The AI logs table as the function uses it. */
export type Entries = ReturnType<typeof entriesTable>;

/** Returns access to the AI logs in a DynamoDB table. @param tableName physical name */
export const entriesTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Stores an entry unless its id exists already. When this returns, the entry is durably stored: by this call
   * (`stored`) or by an earlier one for the same request (`duplicate`). When it throws, the entry may or may not be
   * stored. The caller can safely send the same request again. When it throws an error for which `isPartitionThrottled`
   * is true, the entry is certainly not stored by this call.
   */
  async put(entry: Entry, abortSignal: AbortSignal): Promise<'stored' | 'duplicate'> {
    const put = new PutCommand({
      TableName: tableName,
      Item: entry,
      ConditionExpression: 'attribute_not_exists(entryId)',
    });
    const failures = recordFailures(put);
    try {
      await db.send(put, { abortSignal });
      return 'stored';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'duplicate';
      // An attempt that failed in another way may have stored the entry, so its error decides.
      throw (isPartitionThrottled(error) && failures.find((one) => !isPartitionThrottled(one))) || error;
    }
  },
});
