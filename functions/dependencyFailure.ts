import type { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/**
 * Returns true if DynamoDB or KMS was throttled, unreachable or, by `AbortError`, too slow: try the same again later.
 */
export function isDependencyFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const failure = error as Parameters<typeof isTransientError>[0];
  return (
    error.name === 'AbortError' || isThrottlingError(failure) || isTransientError(failure) || isServerError(failure)
  );
}

/**
 * Returns true if DynamoDB rejected a write only as one partition takes no more: 1000 write units a second. Keys are a
 * UID, an order or a counter, so the cause is one team. @see
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ThrottlingReason.html
 */
export function isPartitionThrottled(error: unknown): boolean {
  const { ThrottlingReasons: reasons = [] } = (error ?? {}) as Pick<
    ProvisionedThroughputExceededException,
    'ThrottlingReasons'
  >;
  return reasons.length > 0 && reasons.every(({ reason }) => reason?.endsWith('WriteKeyRangeThroughputExceeded'));
}
