import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import ipaddr from 'ipaddr.js';

type Window = ReturnType<typeof windowAt>;

/** Returns the window of a time. Windows start at multiples of their length. @param now milliseconds since 1970 */
export function windowAt(now: number, windowSeconds: number) {
  const length = windowSeconds * 1000;
  const start = now - (now % length);
  return { start, end: start + length };
}

/** Returns the address that counts, or the /64 of an IPv6 address; IPv4-mapped (`::ffff:192.0.2.1`) is IPv4. */
export function ipSubject(sourceIp: string): string {
  if (!ipaddr.isValid(sourceIp)) return sourceIp;
  const address = ipaddr.process(sourceIp);
  if (address.kind() === 'ipv4') return address.toString();
  return `${new ipaddr.IPv6([...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toRFC5952String()}/64`;
}

/** A counter in the weights table. There is one per subject and window. */
export interface WeightItem {
  /** `uid#<UID>#<window start>` or `ip#<address>#<window start>`, with the start in milliseconds since 1970. */
  readonly subjectWindow: string;
  readonly used: number;
  /** The time after which DynamoDB may delete the counter, in seconds since 1970. */
  readonly expiresAt: number;
}

/** Returns access to the counters in a DynamoDB table. @param tableName physical name */
export const weightsTable = (db: DynamoDBDocumentClient, tableName: string) => {
  /** The weight used by each rejected subject. It stays rejected until the window ends: no further call is needed. */
  const exceeded = new Map<string, number>();
  let currentStart = 0;

  return {
    /** Returns the weight that a subject had used when it was last rejected in this window; undefined if it was not. */
    usedWhenExceeded(subject: string, { start }: Window): number | undefined {
      return start === currentStart ? exceeded.get(subject) : undefined;
    },

    /**
     * Consumes weight in a window by one conditional write: exact for any number of callers. A rejected attempt
     * consumes nothing, a lost response may twice (docs/decisions.md#no-transaction). @returns `used`: so far, with
     * this if granted
     */
    async consume(
      subject: string,
      { start, end }: Window,
      { weight, quota }: { weight: number; quota: number },
      abortSignal: AbortSignal,
    ): Promise<{ granted: boolean; used: number }> {
      try {
        const { Attributes } = await db.send(
          new UpdateCommand({
            TableName: tableName,
            Key: { subjectWindow: `${subject}#${start}` },
            UpdateExpression: 'ADD used :weight SET expiresAt = :expiresAt',
            ConditionExpression: 'attribute_not_exists(used) OR used <= :limitBefore',
            ExpressionAttributeValues: {
              ':weight': weight,
              ':limitBefore': quota - weight,
              ':expiresAt': Math.ceil(end / 1000) + 3600,
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
