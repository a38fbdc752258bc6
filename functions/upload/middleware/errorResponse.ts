import { isDependencyFailure, isPartitionThrottled } from '../../dependencyFailure.ts';
import { ApiError, apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';
import { failureResponse } from '../response.ts';

/** The seconds after which a client may retry if a dependency failed. */
const RETRY_AFTER_SECONDS = 1;

/** Converts any error to an API error: 429 for the team that fills its partition, 503 for a dependency, else 500. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const options = { cause: error, retryAfter: RETRY_AFTER_SECONDS };
  if (isPartitionThrottled(error)) return apiError('partitionThrottled', { seconds: RETRY_AFTER_SECONDS }, options);
  if (isDependencyFailure(error)) return apiError('unavailable', {}, options);
  return apiError('systemError', {}, { cause: error });
}

/** Turns an error of any later middleware into a response. Middy runs `onError` in reverse order. */
export const errorResponse = ({ now }: { now: () => number }): Middleware => ({
  onError: (request) => {
    const error = toApiError(request.error);
    request.error = error;
    request.response = failureResponse(error, now(), request.event.responseHeaders);
  },
});
