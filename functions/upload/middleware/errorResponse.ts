import { isDependencyFailure } from '../../dependencyFailure.ts';
import { ApiError, apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';
import { failureResponse } from '../response.ts';

/** Returns any error as one of the catalogue: a failed dependency is a 503 that asks to retry, the unforeseen a bare 500. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDependencyFailure(error)) return apiError('unavailable', {}, { cause: error, retryAfter: 1 });
  return apiError('systemError', {}, { cause: error });
}

/**
 * Turns whatever a later middleware throws into a response. Registered before them, because Middy runs `onError` in reverse
 * order.
 */
export const errorResponse = ({ now }: { now: () => number }): Middleware => ({
  onError: (request) => {
    const error = toApiError(request.error);
    request.error = error;
    request.response = failureResponse(error, now(), request.event.responseHeaders);
  },
});
