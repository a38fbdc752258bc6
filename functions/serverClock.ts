import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';

/** Reads the service's clock from the Date headers of its answers, each of which bounds it from both sides. */
export function serverClockOf(client: DynamoDBClient | S3Client) {
  let bounds: { readonly low: number; readonly high: number } | undefined;
  // The two stacks differ in the types of their commands, which are not looked at.
  (client as DynamoDBClient).middlewareStack.add(
    (next) => async (args) => {
      const sent = Date.now();
      const result = await next(args);
      const received = Date.now();
      const { headers } = result.response as { headers?: Readonly<Record<string, string>> };
      const date = Date.parse(headers?.date ?? '');
      if (Number.isNaN(date)) return result;
      const low = date - received;
      const high = date + 1000 - sent;
      // Bounds that exclude each other mean that a clock was set meanwhile. Then only the last answer counts.
      const narrowed = bounds && { low: Math.max(low, bounds.low), high: Math.min(high, bounds.high) };
      bounds = narrowed && narrowed.low <= narrowed.high ? narrowed : { low, high };
      return result;
    },
    // The lowest priority runs next to the connection: it sees every attempt, and errors before they are thrown.
    { step: 'deserialize', priority: 'low', name: 'readServerClock' },
  );
  /** Returns the correction of this machine's clock in milliseconds. Negative if it is ahead. */
  const correction = () => (bounds ? Math.min(Math.max(0, bounds.low), bounds.high) : 0);
  return {
    correction,
    now: () => bounds && Date.now() + correction(),
  };
}
