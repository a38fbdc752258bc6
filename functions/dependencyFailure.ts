import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/**
 * Returns true if an error means that DynamoDB or KMS was throttled, unreachable or too slow, so that the same request
 * may succeed later. It uses the SDK's own classification and adds `AbortError`, which means that the request's
 * deadline passed.
 */
export function isDependencyFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const failure = error as Parameters<typeof isTransientError>[0];
  return (
    error.name === 'AbortError' || isThrottlingError(failure) || isTransientError(failure) || isServerError(failure)
  );
}
