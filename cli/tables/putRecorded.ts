import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { readTimeout } from '../target/openedTarget.ts';

/**
 * The outcome of a write. `changed`: the item is no longer as it was read, and nothing was written. `unknown`: the
 * answer was lost, and the write may have been applied or not.
 */
export type WriteOutcome =
  | { readonly outcome: 'stored' | 'changed' }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** An item with a history. Its last change identifies the write that stored the item. */
interface Recorded {
  readonly history: readonly { readonly id: string }[];
}

/** Returns a condition that holds if the item in the table still has the attributes that were read. */
function unchangedSince(current: object | undefined, partitionKey: string, attributes: readonly string[]) {
  if (current === undefined) return { ConditionExpression: `attribute_not_exists(${partitionKey})` };
  const read = attributes.map((name) => [name, (current as Record<string, unknown>)[name]] as const);
  const values = read.filter(([, value]) => value !== undefined);
  return {
    ConditionExpression: [
      `attribute_exists(${partitionKey})`,
      ...read.map(([name, value]) => (value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`)),
    ].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
    ...(values.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
    }),
  };
}

/** Returns true if DynamoDB rejected the first attempt, so that no attempt can have been applied. */
function wasNeverApplied(error: unknown): boolean {
  const { httpStatusCode = 0, attempts } =
    (error as { $metadata?: { httpStatusCode?: number; attempts?: number } }).$metadata ?? {};
  return attempts === 1 && httpStatusCode >= 400 && httpStatusCode < 500;
}

/**
 * Stores an item unless somebody changed it since it was read. The SDK repeats a write whose answer is lost, and the
 * repetition then fails on the write itself. So after any doubtful answer this reads the item back, and looks for the
 * write in its history. docs/decisions/history-in-the-item.md says why the history is part of the item.
 * @param current the item as it was read; undefined if there was none
 * @param next the item to store; the last change of its history is new
 * @param attributes the attributes that must not have changed
 * @throws the SDK's error if the write was certainly not applied
 */
export async function putRecorded<Item extends object>(
  db: DynamoDBDocumentClient,
  {
    tableName,
    partitionKey,
    current,
    next,
    attributes,
  }: {
    tableName: string;
    partitionKey: keyof Item & string;
    current: Item | undefined;
    next: Item & Recorded;
    attributes: readonly (keyof Item & string)[];
  },
): Promise<WriteOutcome> {
  const condition = unchangedSince(current, partitionKey, [...attributes, 'history']);
  try {
    await db.send(new PutCommand({ TableName: tableName, Item: next, ...condition }));
    return { outcome: 'stored' };
  } catch (cause) {
    const conditionFailed = cause instanceof ConditionalCheckFailedException;
    if (!conditionFailed && wasNeverApplied(cause)) throw cause;
    const id = next.history.at(-1)?.id;
    const get = new GetCommand({
      TableName: tableName,
      Key: { [partitionKey]: next[partitionKey] },
      ConsistentRead: true,
    });
    const found = await db.send(get, { abortSignal: readTimeout() }).catch(() => undefined);
    if (found === undefined) return { outcome: 'unknown', cause };
    const { history = [] } = (found.Item ?? {}) as Partial<Recorded>;
    if (history.some((change) => change.id === id)) return { outcome: 'stored' };
    return conditionFailed ? { outcome: 'changed' } : { outcome: 'unknown', cause };
  }
}
