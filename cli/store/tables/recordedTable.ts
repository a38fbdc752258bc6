import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Failure } from '../../shell/terminal/failure.ts';
import { readTimeout, scan } from '../targets/openedTarget.ts';

export type WriteOutcome =
  /** `changed`: the item is no longer as it was read, and nothing was written. */
  | { readonly outcome: 'stored' | 'changed' }
  /** The answer was lost, and the write may have been applied or not. */
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** Creates the failure for a change of an item, such as `UID 1001`. @param advice what to do in each case */
export const failWrite = (
  item: string,
  outcome: 'changed' | 'unknown',
  advice: Readonly<Record<typeof outcome, string>>,
): Failure =>
  outcome === 'changed'
    ? new Failure('rejected', `Someone else has just changed ${item}.`, { advice: advice.changed })
    : new Failure('unreachable', `The answer to the change of ${item} was lost. It may have been applied.`, {
        advice: advice.unknown,
      });

/** Returns an id of a change, by which the author of a write recognizes it. */
export const newId = (): string => randomBytes(8).toString('hex');

/** An item with a history. Its last change identifies the write that stored the item. */
type Recorded = { readonly history?: readonly { readonly id: string }[] };

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

/** A table whose items record their changes. `About` is what the history says besides what the item shows. */
interface RecordedShape<Item, About> {
  readonly read: (key: string, abortSignal: AbortSignal) => Promise<Item | undefined>;
  readonly partitionKey: keyof Item & string;
  /** The attributes that must not have changed when an item is replaced. */
  readonly attributes: readonly (keyof Item & string)[];
  /** Returns an item to store, with the change appended to its history. @param current undefined if there was none */
  readonly record: (current: Item | undefined, next: Item, about: Partial<About>) => Item;
}

/** Returns admin access to a table whose items record their changes. The function's role does not allow these calls. */
export function recordedTable<Item extends Recorded, About>(
  db: DynamoDBDocumentClient,
  TableName: string,
  { read, partitionKey, attributes, record }: RecordedShape<Item, About>,
) {
  const table = {
    /** Reads an item, strongly consistent. */
    get: (key: string, abortSignal = readTimeout()) => read(key, abortSignal),

    all: () => scan<Item>(db, { TableName, ConsistentRead: true }),

    /**
     * Replaces an item unless somebody changed it since it was read, in one write with its history. The SDK repeats a
     * write whose answer is lost, which then fails on the write itself: after a doubtful answer, this looks for it in
     * the history.
     * @param current undefined if there was no item
     * @throws the SDK's error if the write was certainly not applied; what `record` throws
     */
    async replace(current: Item | undefined, next: Item, about: Partial<About> = {}): Promise<WriteOutcome> {
      const recorded = record(current, next, about);
      const condition = unchangedSince(current, partitionKey, [...attributes, 'history']);
      try {
        await db.send(new PutCommand({ TableName, Item: recorded, ...condition }));
        return { outcome: 'stored' };
      } catch (cause) {
        const conditionFailed = cause instanceof ConditionalCheckFailedException;
        if (!conditionFailed && wasNeverApplied(cause)) throw cause;
        const found = await table.get(String(next[partitionKey])).then(
          (item) => item?.history ?? [],
          () => undefined,
        );
        if (found === undefined) return { outcome: 'unknown', cause };
        const id = recorded.history?.at(-1)?.id;
        if (found.some((change) => change.id === id)) return { outcome: 'stored' };
        return conditionFailed ? { outcome: 'changed' } : { outcome: 'unknown', cause };
      }
    },

    /** Stores an item in place of the one before, if there is one. Its history is kept. */
    async put(item: Item): Promise<void> {
      const written = await table.replace(await table.get(String(item[partitionKey])), item);
      if (written.outcome === 'changed') await table.put(item);
      if (written.outcome === 'unknown') throw written.cause;
    },
  };
  return table;
}
