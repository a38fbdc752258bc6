import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { isPartitionThrottled } from '../dependencyFailure.ts';
import type { Entry } from './entry.ts';

/** An item that an earlier attempt of the same request has stored. Somebody may have changed it in the table since. */
export type StoredEntry = Readonly<Record<string, unknown>> & Pick<Entry, 'uid' | 'entryId'>;

/** The result of a put. An entry that existed is unknown if DynamoDB did not return it. */
export type PutResult =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'existing'; readonly stored: StoredEntry }
  | { readonly outcome: 'unknown' };

/** Returns the attributes of an item. Only an edit can have made an order id a fraction, which is no big integer. */
const storedEntryOf = (item: Record<string, AttributeValue>): StoredEntry =>
  Object.fromEntries(
    Object.entries(item).map(([name, { S, N, B }]) => {
      if (N === undefined) return [name, S ?? B];
      return [name, name === 'orderId' && /^\d+$/.test(N) ? BigInt(N) : Number(N)];
    }),
  ) as unknown as StoredEntry;

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

/** Returns access to the AI logs in a DynamoDB table. @param tableName physical name */
export const entriesTable = (db: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Stores an entry unless its id exists; on return, it is stored durably. After an error it may be stored, certainly
   * not if `isPartitionThrottled` is true of it, and the same request can be sent again.
   */
  async put(entry: Entry, abortSignal: AbortSignal): Promise<PutResult> {
    const put = new PutCommand({
      TableName: tableName,
      Item: entry,
      ConditionExpression: 'attribute_not_exists(entryId)',
      // The stored entry comes with the error. docs/decisions.md#receipt-of-a-resend says why it is not read.
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const failures = recordFailures(put);
    try {
      await db.send(put, { abortSignal });
      return { outcome: 'created' };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        if (error.Item === undefined) return { outcome: 'unknown' };
        return { outcome: 'existing', stored: storedEntryOf(error.Item) };
      }
      // An attempt that failed in another way may have stored the entry, so its error decides.
      throw (isPartitionThrottled(error) && failures.find((one) => !isPartitionThrottled(one))) || error;
    }
  },
});
