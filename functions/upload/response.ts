import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ApiError } from '../errors.ts';

/** The body of every response. Clients can set their clocks by `requestTime`, in milliseconds since 1970. */
type Envelope = Readonly<{ code: string; msg: string; requestTime: number; data: string | null }>;

const response = (statusCode: number, envelope: Envelope, headers: Record<string, string>): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(envelope),
});

/** Returns the response to a stored upload. Every HTTP 200 has this body. @param requestTime milliseconds since 1970 */
export const successResponse = (requestTime: number, headers: Record<string, string>): APIGatewayProxyResult =>
  response(200, { code: '00000', msg: 'success', requestTime, data: 'upload success' }, headers);

/** Returns the response to a rejected or failed upload. @param requestTime milliseconds since 1970 */
export function failureResponse(error: ApiError, requestTime: number, headers: Record<string, string>) {
  const { status, code, message: msg, retryAfter } = error;
  const retry = retryAfter !== undefined && { 'Retry-After': String(retryAfter) };
  return response(status, { code, msg, requestTime, data: null }, { ...headers, ...retry });
}
