import type { APIGatewayProxyResult } from 'aws-lambda';
import { isDependencyFailure } from '../../dependencyFailure.ts';
import { ApiError, apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** Code and message of a success: an HTTP 200 is always this, and nothing else is. */
const SUCCESS = { code: '00000', msg: 'success' } as const;

/** Every answer's shape. `requestTime` is the server's clock in milliseconds, so that a rejected client can set its own. */
function envelope(
  status: number,
  body: { code: string; msg: string; requestTime: number; data: string | null },
  headers: Record<string, string> = {},
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** The answer to an upload that is stored. */
export function accepted(requestTime: number, headers: Record<string, string>): APIGatewayProxyResult {
  return envelope(200, { ...SUCCESS, requestTime, data: 'upload success' }, headers);
}

/**
 * Turns whatever a later middleware throws into an answer: an ApiError answers as it says, a failing dependency is a 503 that asks
 * to retry, anything else a 500 that tells nothing. Registered before the middlewares, because Middy runs `onError` in reverse.
 */
export const errorResponse = ({ now }: { now: () => number }): Middleware => ({
  onError: (request) => {
    const { error, event } = request;
    const failure =
      error instanceof ApiError
        ? error
        : isDependencyFailure(error)
          ? apiError('unavailable', {}, { cause: error, retryAfter: 1 })
          : apiError('systemError', {}, { cause: error });
    request.error = failure;
    request.response = envelope(
      failure.status,
      { code: failure.code, msg: failure.message, requestTime: now(), data: null },
      {
        ...event.answerHeaders,
        ...(failure.retryAfter === undefined ? {} : { 'Retry-After': String(failure.retryAfter) }),
      },
    );
  },
});
