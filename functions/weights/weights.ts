import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';

/** A fixed span of time. Both ends in milliseconds since 1970; the end is the next one's start. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** The window that a time (ms since 1970) falls into; windows start at multiples of their length. */
export function windowAt(now: number, windowSeconds: number): Window {
  const length = windowSeconds * 1000;
  const start = now - (now % length);
  return { start, end: start + length };
}

/** Whether a weight was granted, and the weight used in the window by then (with it, where it was granted). */
export interface Consumption {
  readonly granted: boolean;
  readonly used: number;
}

/** A counter in the weights table: one for each subject and window. */
export interface WeightItem {
  /** `uid#<UID>#<window start>` or `ip#<address>#<window start>`, the start in milliseconds since 1970. */
  readonly subjectWindow: string;
  /** The weight consumed in the window. */
  readonly used: number;
  /** When DynamoDB may delete the counter, in seconds since 1970. */
  readonly expiresAt: number;
}

/** The weights table as the function uses it. */
export type Weights = ReturnType<typeof weightsTable>;

/** How long a counter is kept after its window, in seconds, before DynamoDB may delete it. */
const KEEP_SECONDS = 3600;

/** The counters in a DynamoDB table of this name: one item for each subject and window. */
export const weightsTable = (db: DynamoDBDocumentClient, tableName: string) => {
  /** What a subject had used when it was rejected: it has nothing left until the window ends, no need to ask again. */
  const exceeded = new Map<string, number>();
  let currentStart = 0;

  return {
    /** What a subject had used when it was last rejected in this window; undefined where it was not, as far as is known. */
    usedWhenExceeded(subject: string, { start }: Window): number | undefined {
      return start === currentStart ? exceeded.get(subject) : undefined;
    },

    /**
     * Takes a weight from a subject's quota in a window, in one conditional write: exact among any number of callers.
     * An error takes nothing. A write that is retried after its answer was lost may count twice, never too little.
     */
    async consume(
      subject: string,
      { start, end }: Window,
      { weight, quota }: { weight: number; quota: number },
      abortSignal: AbortSignal,
    ): Promise<Consumption> {
      try {
        const { Attributes } = await db.send(
          new UpdateCommand({
            TableName: tableName,
            Key: { subjectWindow: `${subject}#${start}` },
            UpdateExpression: 'ADD used :weight SET expiresAt = :expiresAt',
            ConditionExpression: 'attribute_not_exists(used) OR used <= :mostBefore',
            ExpressionAttributeValues: {
              ':weight': weight,
              ':mostBefore': quota - weight,
              ':expiresAt': Math.ceil(end / 1000) + KEEP_SECONDS,
            },
            ReturnValues: 'UPDATED_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
          { abortSignal },
        );
        return { granted: true, used: Attributes?.used };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const used = Number(error.Item?.used?.N ?? quota);
        if (start > currentStart) {
          exceeded.clear();
          currentStart = start;
        }
        if (start === currentStart) exceeded.set(subject, used);
        return { granted: false, used };
      }
    },
  };
};
