import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ApiError } from '../errors.ts';

/**
 * The body of every response. `requestTime` is the server's clock in milliseconds since 1970; clients can set theirs by
 * it.
 */
interface Envelope {
  readonly code: string;
  readonly msg: string;
  readonly requestTime: number;
  readonly data: string | null;
}

const response = (statusCode: number, envelope: Envelope, headers: Record<string, string>): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(envelope),
});

/** Returns the response to a stored upload. Every HTTP 200 has this body. @param requestTime milliseconds since 1970 */
export const successResponse = (requestTime: number, headers: Record<string, string>): APIGatewayProxyResult =>
  response(200, { code: '00000', msg: 'success', requestTime, data: 'upload success' }, headers);

/** Returns the response to a rejected or failed upload. @param requestTime milliseconds since 1970 */
export const failureResponse = (
  { status, code, message, retryAfter }: ApiError,
  requestTime: number,
  headers: Record<string, string>,
): APIGatewayProxyResult =>
  response(
    status,
    { code, msg: message, requestTime, data: null },
    { ...headers, ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }) },
  );
