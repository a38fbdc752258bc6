import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/**
 * Whether an error means that DynamoDB or KMS was throttled, unreachable or too slow, so that the same request may
 * succeed later. By the SDK's own judgement of its errors, and `AbortError`: the request's deadline passed.
 */
export function isDependencyFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const failure = error as Parameters<typeof isTransientError>[0];
  return (
    error.name === 'AbortError' || isThrottlingError(failure) || isTransientError(failure) || isServerError(failure)
  );
}
